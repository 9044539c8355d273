import { plotStyles } from '../plots/stylesheet.ts'

const frame = `* { box-sizing: border-box; }
html { scroll-padding-top: 12px; }
body { margin: 0; background: var(--bg); color: var(--text); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
header, main, footer { max-width: 1180px; margin: 0 auto; padding: 0 24px; }
header { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 20px; padding-top: 18px; padding-bottom: 14px; }
h1 { display: flex; align-items: center; gap: 10px; margin: 0; font-size: 20px; letter-spacing: -0.01em; }
h1 small { color: var(--soft); font-size: 13px; font-weight: 400; }
h2 { margin: 0; font-size: 20px; letter-spacing: -0.01em; }
h3 { margin: 0 2px 8px; font-size: 16px; font-weight: 600; }
.asof { margin: 0 0 0 auto; color: var(--soft); font-size: 13px; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 4px; }
.skip { position: absolute; left: 12px; top: -60px; z-index: 2; padding: 6px 14px; border-radius: 0 0 8px 8px; background: var(--card); }
.skip:focus { top: 0; }
.outdated { position: sticky; top: 0; z-index: 1; margin: 0; padding: 10px 24px; text-align: center; font-weight: 600; color: var(--bad); background: var(--bad-bg); border-bottom: 1px solid var(--bad); }
.outdated[hidden] { display: none; }
.banner, .tenant-card, .now section, .check, .problem, table, .runbook pre { background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.banner, .tenant-card, .check, .problem { border-left-width: 4px; }
.tenant { margin-bottom: 48px; }
.part { margin: 12px 0; }
.part > details > summary h3 { display: inline; margin: 0; }
.banner { display: flex; flex-wrap: wrap; align-items: baseline; gap: 2px 16px; padding: 12px 20px; }
.banner p { margin: 0; overflow-wrap: anywhere; }
.banner p::first-letter { text-transform: uppercase; }
.sync { display: inline-block; } .banner .sync { margin-left: auto; align-self: center; } .banner:has(.sync) p { order: 1; flex-basis: 100%; } dd .sync button { min-height: 0; padding: 0 8px; font-size: 12px; }
.hold { margin-top: 12px; background: var(--bad-bg); border: 1px solid var(--bad); border-radius: 10px; padding: 12px 20px; }
.hold p { margin: 3px 0; overflow-wrap: anywhere; }
.hold .command { display: block; width: fit-content; max-width: 100%; margin-top: 3px; }
.hold .ago { color: var(--text); }
.command { user-select: all; background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 2px 7px; overflow-wrap: anywhere; }
.command span { display: inline-block; max-width: 100%; }
.note { margin: 12px 0 0; background: var(--quiet-bg); border-radius: 8px; padding: 8px 16px; color: var(--quiet); }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(210px, 1fr)); gap: 10px; margin: 10px 0 28px; padding: 0; list-style: none; }
.tenant-card { display: grid; align-content: start; gap: 1px; padding: 10px 14px; font-size: 13px; overflow-wrap: anywhere; }
.tenant-card a { font-size: 15px; font-weight: 600; }
.quiet-text { color: var(--soft); }
.now { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 1fr); gap: 12px; margin: 12px 0 20px; }
.now > div { display: grid; gap: 12px; align-content: start; }
.now section { padding: 12px 16px; overflow-wrap: anywhere; }
.now ul { margin: 0; padding: 0; list-style: none; font-size: 14px; }
.check { margin: 6px 0 0; padding: 5px 12px 6px; overflow-wrap: anywhere; }
.check > summary { display: block; color: var(--text); }
.check > summary code { font-weight: 600; font-size: 13px; }
.check > summary > :is(code, .num) { margin-right: 8px; }
.who { display: block; color: var(--soft); }
.about { margin: 6px 0 2px; font-size: 14px; }
.findings { margin: 6px 0; padding: 0; list-style: none; overflow-wrap: anywhere; }
.findings li { padding: 6px 0; border-top: 1px solid var(--line); }
.said { color: var(--soft); font-size: 13px; }
.copy { min-height: 0; padding: 0 8px; margin-left: 6px; font-size: 12px; vertical-align: middle; }
.problems { margin: 12px 0 0; padding: 0; list-style: none; display: grid; gap: 8px; }
.problem { padding: 8px 16px; overflow-wrap: anywhere; }
.problem p { margin: 0; } .problem .todo { font-size: 13px; color: var(--soft); }
.edge-bad, .edge-worst { border-left-color: var(--bad); } .edge-warn { border-left-color: var(--warn); }
.edge-unknown { border-left-color: var(--unknown); } .edge-good { border-left-color: var(--good); }
.edge-quiet { border-left-color: var(--line); }
footer { display: flex; flex-wrap: wrap; gap: 6px 18px; padding-bottom: 32px; font-size: 13px; color: var(--soft); }
footer span { margin-left: auto; }
`

const tables = `table { width: 100%; margin: 0; border-spacing: 0; overflow: hidden; }
.plain code { overflow-wrap: anywhere; }
th, td { padding: 8px 16px; text-align: left; vertical-align: top; font-weight: 400; border-top: 1px solid var(--line); }
thead th { border-top: 0; color: var(--soft); font-size: 12px; font-weight: 500; white-space: nowrap; }
tbody th { font-weight: 500; }
code { font: 12.5px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.id { display: block; color: var(--soft); font-size: 11.5px; font-weight: 400; overflow-wrap: anywhere; }
.why { display: block; color: var(--soft); font-size: 13px; font-weight: 400; overflow-wrap: anywhere; }
.type, .kind { color: var(--soft); font-weight: 400; }
.ago, .none, .count.quiet { color: var(--soft); font-size: 13px; }
td .ago { display: inline-block; white-space: nowrap; }
td time + .ago { display: block; }
bdi { overflow-wrap: anywhere; }
.num { font-variant-numeric: tabular-nums; white-space: nowrap; }
time { white-space: nowrap; font-variant-numeric: tabular-nums; }
.mode { display: block; } .mode .num { margin-right: 4px; }
.mode .ago { min-width: 84px; }
@media (min-width: 701px) and (max-width: 1000px) {
  .data th, .data td { padding: 8px 6px; }
  .data :is(.badge, time) { white-space: normal; }
  .mode .ago { min-width: 0; }
}
.count { white-space: nowrap; margin-right: 6px; }
.values { overflow-wrap: anywhere; }
del { color: var(--soft); } ins { text-decoration: none; font-weight: 600; }
.empty { margin: 0; background: var(--card); border: 1px dashed var(--edge); border-radius: 10px; padding: 14px 20px; color: var(--soft); }
.more, .count-line { margin: 6px 2px 0; color: var(--soft); font-size: 13px; }
.count-line { margin: 0 2px 8px; }
`

/** Narrow screens: tables as cards. */
const phone = `@media (max-width: 900px) { .now { grid-template-columns: minmax(0, 1fr); } }
@media (max-width: 700px) {
  header, main, footer { padding-left: 14px; padding-right: 14px; }
  .asof { margin-left: 0; width: 100%; }
  table, tbody, tr, th, td { display: block; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table { background: none; border: 0; border-radius: 0; overflow: visible; }
  tbody tr { background: var(--card); border: 1px solid var(--line); border-radius: 10px; margin-bottom: 8px; padding: 8px 14px; }
  th, td { border-top: 0; padding: 3px 0; }
  tbody th { font-size: 16px; font-weight: 600; }
  td { display: grid; grid-template-columns: 96px minmax(0, 1fr); }
  td::before { content: attr(data-label); color: var(--soft); font-size: 12.5px; padding-top: 2px; }
  .data tbody tr { display: grid; grid-template-columns: minmax(0, 1fr) auto; column-gap: 12px; }
  .data td:nth-child(2) { display: block; max-width: 150px; }
  .data td:nth-child(2)::before { content: none; }
  .data td:nth-child(n + 3) { grid-column: 1 / -1; }
  td > div > time + .ago, td > div > .ago { display: inline; }
  td .ago, time { white-space: normal; }
  dl { grid-template-columns: minmax(0, 1fr); gap: 0; }
  dd { margin-bottom: 4px; }
  .filter label { flex: 1 1 140px; }
  .chip { padding: 6px 14px; }
  footer span { margin-left: 0; }
}
`

/** Print: no controls, every check and resource, no page break within a finding. */
const paper = `@media print {
  :root { color-scheme: light; }
  nav, form, footer, .more, .outdated, .skip { display: none; }
  body { font-size: 11px; background: none; }
  tr, .check, .banner, .problem { break-inside: avoid; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
`

const runbook = `.runbook { max-width: 860px; padding-top: 12px; padding-bottom: 32px; overflow-wrap: anywhere; }
.runbook h2 { margin-top: 24px; }
.runbook pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: 12px 16px; }
`

const parts = `.chips { display: flex; flex-wrap: wrap; gap: 8px; margin: 0 0 10px; }
.chip { border: 1px solid var(--edge); border-radius: 99px; padding: 3px 12px; background: var(--card); color: var(--text); font-size: 13px; text-decoration: none; }
.chip:hover { border-color: var(--link); }
.chip[aria-current="true"] { background: var(--own-bg); border-color: var(--own); color: var(--own); font-weight: 600; }
.filter { display: flex; flex-wrap: wrap; align-items: end; gap: 8px 14px; margin: 0 0 10px; font-size: 13px; color: var(--soft); }
.filter label { display: grid; gap: 2px; min-width: 0; }
.filter .grow { flex: 1 1 220px; }
select, input, button { min-width: 0; max-width: 100%; font: inherit; color: var(--text); background: var(--card); border: 1px solid var(--edge); border-radius: 7px; padding: 5px 10px; min-height: 34px; }
button { cursor: pointer; font-weight: 600; }
.clear { padding-bottom: 7px; }
details { margin-top: 4px; }
summary { display: inline-block; cursor: pointer; color: var(--link); font-size: 13px; padding: 1px 0; }
summary::before { content: "▸ "; } details[open] > summary::before { content: "▾ "; }
dl { display: grid; grid-template-columns: minmax(100px, max-content) minmax(0, 1fr); gap: 2px 14px; margin: 4px 0 6px; padding: 8px 12px; border-radius: 8px; background: var(--bg); font-size: 13px; }
dt { color: var(--soft); overflow-wrap: anywhere; } dd { margin: 0; overflow-wrap: anywhere; }
dd time { white-space: normal; } :is(dd, .todo) .command { display: inline-block; }
`

/** Colors by meaning, for light and dark screens; text has a contrast of at least 4.5 to 1 (WCAG 2.2, AA). */
const colors = `:root {
  color-scheme: light dark;
  --bg: #f4f6f9; --card: #ffffff; --line: #dfe4ec; --text: #1b2330; --soft: #566274; --edge: #76829a;
  --bad: #b9222a; --bad-bg: #fdeaea; --warn: #8a5106; --warn-bg: #fdf1dc;
  --unknown: #6440b0; --unknown-bg: #f0eafb; --good: #17703c; --good-bg: #e3f5ea;
  --quiet: #556174; --quiet-bg: #eceff4; --own: #1d58ba; --own-bg: #e6eefb; --link: #1d58ba;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #0f141b; --card: #171e28; --line: #2a3442; --text: #e6ebf2; --soft: #9dabbd; --edge: #6c7a8e;
    --bad: #ff8585; --bad-bg: #3b1a1d; --warn: #f0b35a; --warn-bg: #372812;
    --unknown: #c0a6f6; --unknown-bg: #2a2145; --good: #6fd596; --good-bg: #14311f;
    --quiet: #a9b5c5; --quiet-bg: #232d3a; --own: #8ab6ff; --own-bg: #16294a; --link: #8ab6ff;
  }
}
.text-bad { color: var(--bad); } .text-unknown { color: var(--unknown); } .text-good { color: var(--good); }
.badge { display: inline-block; border-radius: 99px; padding: 0 9px; font-size: 12.5px; font-weight: 600; line-height: 1.6; white-space: nowrap; }
.badge.worst { color: var(--card); background: var(--bad); }
.badge.bad { color: var(--bad); background: var(--bad-bg); } .badge.warn { color: var(--warn); background: var(--warn-bg); }
.badge.unknown { color: var(--unknown); background: var(--unknown-bg); } .badge.good { color: var(--good); background: var(--good-bg); }
.badge.quiet { color: var(--quiet); background: var(--quiet-bg); } .badge.own { color: var(--own); background: var(--own-bg); }
`

export const favicon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#2f6fdb" d="M16 1.5 28 6v9.5c0 7.3-5 12.8-12 15-7-2.2-12-7.7-12-15V6z"/><path fill="#fff" d="M16 9.5c4 0 7 2.6 8.5 6-1.5 3.4-4.5 6-8.5 6s-7-2.6-8.5-6c1.5-3.4 4.5-6 8.5-6z"/><circle cx="16" cy="15.5" r="3.4" fill="#2f6fdb"/></svg>
`

/** The page's only stylesheet, served from its own route so that the content security policy needs no exception. */
export const stylesheet = colors + frame + tables + parts + runbook + plotStyles + phone + paper
