import { counted, duration } from "../../types/mod.ts";
import type { ListRow, RunList } from "../_report/run_list.ts";
import { grouped } from "./shown_text.ts";
import { pageEnd, pageStart } from "./head_view.ts";
import { type Markup, markup } from "./markup.ts";

/** The page of a store's runs: the newest first, those that cannot be read last. */
export function listView(
  title: string,
  { sound, unreadable }: RunList,
  hrefOf: (runId: string) => string,
): Markup {
  return markup`
    ${pageStart(title)}<h1>${title}</h1>
    <p class="soft">${counted(sound.length + unreadable.length, "run")}</p>
    <div class="wide">
      <table>
        <thead>
          <tr>
            <th>run</th>
            <th>started (UTC)</th>
            <th class="number">steps</th>
            <th class="number">calls</th>
            <th class="number">tokens</th>
            <th class="number">took</th>
            <th>state</th>
          </tr>
        </thead>
        <tbody>
    ${[...sound, ...unreadable].map((row) => rowView(row, hrefOf))}</tbody>
      </table>
    </div>
    ${pageEnd()}
  `;
}

function rowView({ runId, tally, state }: ListRow, hrefOf: (runId: string) => string): Markup {
  const link = markup`<a href="${hrefOf(runId)}">${runId}</a>`;
  if (tally === undefined) {
    return markup`
      <tr>
        <td>${link}</td>
        <td colspan="5"></td>
        <td class="bad">${state}</td>
      </tr>
    `;
  }
  const { startedAt, steps, modelCalls, tokens, style, elapsedMs } = tally;
  const numbers = [
    grouped(steps),
    grouped(modelCalls),
    tokens === undefined ? "–" : grouped(tokens),
    elapsedMs === undefined ? "–" : duration(elapsedMs),
  ];
  return markup`
    <tr>
      <td>${link}</td>
      <td class="date">${secondOf(startedAt)}</td>
      ${numbers.map((number) => markup`<td class="number">${number}</td>`)}
      <td class="${style}">${state}</td>
    </tr>
  `;
}

function secondOf(ms: number): string {
  return new Date(ms).toISOString().replace("T", " ").slice(0, "2026-01-01 00:00:00".length);
}
