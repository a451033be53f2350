import { counted, duration } from "../../types/mod.ts";
import type { ListRow, RunList } from "../_report/run_list.ts";
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
    <table>
      <thead>
        <tr>
          <th>run</th>
          <th>started</th>
          <th>steps</th>
          <th>calls</th>
          <th>tokens</th>
          <th>took</th>
          <th>state</th>
        </tr>
      </thead>
      <tbody>
    ${sound.map((row) => rowView(row, hrefOf))}${
    unreadable.map((row) => rowView(row, hrefOf))
  }</tbody>
    </table>
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
  const { startedAt, steps, modelCalls, tokens = "–", elapsedMs } = tally;
  const took = elapsedMs === undefined ? "–" : duration(elapsedMs);
  const at = new Date(startedAt).toISOString().replace("T", " ").slice(
    0,
    "2026-01-01 00:00:00".length,
  );
  return markup`
    <tr>
      <td>${link}</td>
      <td>${at}</td>
      <td>${steps}</td>
      <td>${modelCalls}</td>
      <td>${tokens}</td>
      <td>${took}</td>
      <td>${state}</td>
    </tr>
  `;
}
