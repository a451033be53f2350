/** How a page looks: one typeface for words and one for data, light and dark, on a screen and on paper. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1c1e21; --soft: #5f6670; --line: #d9dde2; --page: #fcfcfb;
  --card: #fff; --good: #1a7f4b; --odd: #9a6a00; --bad: #b3261e; --tint: #eef1f4; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --soft: #9aa3ad; --line: #343a41;
  --page: #15181b; --card: #1c2024; --good: #57c28c; --odd: #d9a441; --bad: #f2837b; --tint: #262b31; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 2.5rem 1.5rem 6rem; background: var(--page);
  color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: .8rem; letter-spacing: .06em; text-transform: uppercase; color: var(--soft);
  margin: 2.25rem 0 .5rem; }
a { color: inherit; }
pre { margin: .35rem 0; padding: .75rem .9rem; background: var(--tint); border-radius: .4rem;
  font: .84rem/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
code { font: .84rem ui-monospace, monospace; overflow-wrap: anywhere; }
.soft { color: var(--soft); }
.good { color: var(--good); } .odd { color: var(--odd); } .bad { color: var(--bad); }
.fault { border-left: .25rem solid var(--bad); padding: .1rem 1rem; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1.25rem; margin: .75rem 0; }
.facts dt { color: var(--soft); } .facts dd { margin: 0; overflow-wrap: anywhere; }
meter { width: 9rem; height: .8rem; vertical-align: middle; margin-right: .6rem; }
.strip { display: flex; flex-wrap: wrap; gap: 2px; list-style: none; margin: .5rem 0; padding: 0; }
.strip a { display: block; position: relative; width: .8rem; height: 2.4rem; background: var(--tint);
  color: var(--good); overflow: hidden; }
.strip a:focus-visible, .strip a:hover { outline: 2px solid var(--soft); }
.strip i { position: absolute; bottom: 0; width: 50%; background: currentColor; }
.strip i + i { right: 0; opacity: .45; }
.strip.many { gap: 1px; } .strip.many a { width: 3px; height: 1.6rem; } .strip.many i { width: 100%; }
.strip.many i + i { display: none; }
.strip .odd { color: var(--odd); } .strip .bad { color: var(--bad); }
details.step { border: 1px solid var(--line); border-radius: .5rem; background: var(--card);
  margin: .45rem 0; content-visibility: auto; contain-intrinsic-size: auto 2.6rem; }
details.step > summary { display: grid; grid-template-columns: 3.5rem 9.5rem 1fr auto; gap: 0 .75rem;
  padding: .5rem .9rem; cursor: pointer; list-style: none; align-items: baseline; }
details.step > summary::-webkit-details-marker { display: none; }
details.step[open] > summary { border-bottom: 1px solid var(--line); }
summary .said { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
summary .cost { color: var(--soft); font-size: .85rem; white-space: nowrap; }
.inside { padding: .35rem .9rem .9rem; }
.inside h3 { font-size: .9rem; margin: 1rem 0 .2rem; }
.note { color: var(--soft); font-size: .88rem; margin: .2rem 0; }
.inside details > summary { cursor: pointer; color: var(--soft); font-size: .88rem; }
table { border-collapse: collapse; width: 100%; } td, th { text-align: left; padding: .35rem .75rem .35rem 0;
  border-bottom: 1px solid var(--line); vertical-align: baseline; } th { color: var(--soft); font-weight: 500; }
.two { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; } .two > * { min-width: 0; }
@media (max-width: 40rem) { details.step > summary { grid-template-columns: 3rem 1fr; } .two { grid-template-columns: 1fr; } }
@media print { body { max-width: none; padding: 0; } details.step { break-inside: avoid-page; } .strip { display: none; } }
`;
