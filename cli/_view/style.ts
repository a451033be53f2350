/** How a page looks: one typeface for words and one for data, light and dark, on a screen and on paper. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1c1e21; --soft: #5f6670; --line: #dfe2e6; --page: #fcfcfb;
  --card: #fff; --good: #1a7f4b; --odd: #8f6200; --bad: #b3261e; --tint: #f2f4f6; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --soft: #9aa3ad; --line: #343a41;
  --page: #15181b; --card: #1c2024; --good: #57c28c; --odd: #d9a441; --bad: #f2837b; --tint: #262b31; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 2.5rem 1.5rem 6rem; background: var(--page);
  color: var(--ink); font: 16px/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
body.pair { max-width: 100rem; }
span, a, code, h1, h3, td, dd, p { unicode-bidi: isolate; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .35rem; }
h2 { font-size: .8rem; letter-spacing: .06em; text-transform: uppercase; color: var(--soft);
  margin: 2.25rem 0 .5rem; }
a { color: inherit; }
pre { margin: .35rem 0; padding: .75rem .9rem; background: var(--tint); border-radius: .4rem;
  font: .84rem/1.5 ui-monospace, monospace; white-space: pre-wrap; tab-size: 4; }
.prose pre { font: inherit; background: none; padding: 0 0 0 1rem; border-left: 3px solid var(--line);
  border-radius: 0; max-width: 46rem; }
code { font: .84rem ui-monospace, monospace; }
.soft { color: var(--soft); margin: 0; }
.good { color: var(--good); } .odd { color: var(--odd); } .bad { color: var(--bad); }
.fault { border-left: 3px solid var(--bad); padding: 0 0 0 1rem; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1.25rem; margin: .75rem 0; }
.facts dt { color: var(--soft); max-width: 40vw; } .facts dd { margin: 0; font-variant-numeric: tabular-nums; }
meter { width: min(9rem, 20vw); height: .8rem; vertical-align: middle; margin-right: .6rem; }
.strip { display: flex; gap: 1px; margin: .5rem 0 1.5rem; }
.strip a { flex: 1 1 0; min-width: 0; max-width: 1.1rem; position: relative; height: 3.2rem; background: var(--tint);
  overflow: hidden; }
.strip a:focus-visible, .strip a:hover { outline: 2px solid var(--soft); }
.strip i { position: absolute; bottom: 0; width: 50%; background: var(--soft); }
.strip i + i { right: 0; opacity: .45; }
.step { border: 1px solid var(--line); border-radius: .5rem; background: var(--card); margin: .4rem 0; }
details.step { content-visibility: auto; contain-intrinsic-size: auto 2.6rem; }
details.step:target { border-color: var(--soft); box-shadow: 0 0 0 1px var(--soft); }
details.step > summary { display: grid; grid-template-columns: 3rem 11rem 1fr auto; gap: 0 .75rem;
  padding: .5rem .9rem; cursor: pointer; list-style: none; align-items: baseline; }
details.step > summary::-webkit-details-marker { display: none; }
details.step > summary:hover { background: var(--tint); border-radius: .5rem; }
details.step[open] > summary { border-bottom: 1px solid var(--line); }
summary .how { font-size: .9rem; }
summary .said { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
summary .cost { color: var(--soft); font-size: .85rem; white-space: nowrap; font-variant-numeric: tabular-nums; }
.inside { padding: .6rem .9rem .9rem; }
.inside h3 { font-size: .9rem; margin: 1rem 0 .2rem; }
.inside > h3:first-child { margin-top: .2rem; }
.note { color: var(--soft); font-size: .88rem; margin: .2rem 0; } .note.odd { color: var(--odd); }
.inside details > summary { cursor: pointer; color: var(--soft); font-size: .88rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin-top: 1.5rem; }
td, th { text-align: left; padding: .4rem 1.25rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: baseline; }
th { color: var(--soft); font-weight: 500; font-size: .88rem; white-space: nowrap; }
td:first-child { min-width: 8rem; } td:last-child { min-width: 12rem; }
.date, .number { white-space: nowrap; font-variant-numeric: tabular-nums; } .number { text-align: right; }
.two { display: grid; grid-template-columns: 1fr 1fr; gap: 0 1.5rem; align-items: start; } .two > * { min-width: 0; }
.pair h2 { margin-top: 1.5rem; }
.pair .two h1 { font-size: 1.15rem; margin-top: 1.5rem; }
.parting { color: var(--odd); border-top: 1px solid currentColor; margin: 1rem 0 .5rem; font-size: .88rem; }
.pair .step > summary { grid-template-columns: 2.5rem 1fr auto; }
.pair .step > summary > .said { grid-row: 2; grid-column: 1 / -1; }
@media (max-width: 44rem) {
  body { padding: 1.5rem 1rem 4rem; } .strip { gap: 0; } .two { grid-template-columns: 1fr; }
  .two > [data-run]::before { content: attr(data-run); color: var(--soft); font-size: .8rem; }
  details.step > summary { grid-template-columns: 2.5rem 1fr auto; }
  summary .said { grid-row: 2; grid-column: 1 / -1; }
}
@media print { body { max-width: none; padding: 0; } .step { break-inside: avoid-page; } .strip { display: none; } }
`;
