/** The page's only stylesheet, served from its own route so that the content security policy needs no exception. */
export const stylesheet = `:root {
  color-scheme: light dark;
  --bg: #f4f6f9; --card: #fff; --line: #dfe4ec; --text: #1b2330; --soft: #5a6678;
  --bad: #c4262e; --bad-bg: #fdeaea; --warn: #96590a; --warn-bg: #fdf1dc;
  --blind: #6b46b8; --blind-bg: #f0eafb; --good: #1b7a43; --good-bg: #e3f5ea;
  --quiet: #5a6678; --quiet-bg: #eceff4; --link: #1f5fc9; --track: #e6eaf0;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #0f141b; --card: #171e28; --line: #2a3442; --text: #e6ebf2; --soft: #98a5b8;
    --bad: #ff7a7a; --bad-bg: #3b1a1d; --warn: #f0b35a; --warn-bg: #372812;
    --blind: #bda2f5; --blind-bg: #2a2145; --good: #6fd596; --good-bg: #14311f;
    --quiet: #a3afc0; --quiet-bg: #232d3a; --link: #82b1ff; --track: #2a3442;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--text); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
header, main, footer { max-width: 1180px; margin: 0 auto; padding: 0 24px; }
header { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 20px; padding-top: 18px; padding-bottom: 14px; }
h1 { display: flex; align-items: center; gap: 10px; margin: 0; font-size: 20px; letter-spacing: -0.01em; }
h1 small { color: var(--soft); font-size: 13px; font-weight: 400; }
nav { display: flex; flex-wrap: wrap; gap: 12px; }
.asof { margin: 0 0 0 auto; color: var(--soft); font-size: 13px; }
a { color: var(--link); }
section { margin-bottom: 44px; }
.banner { display: flex; flex-wrap: wrap; align-items: baseline; gap: 2px 16px; background: var(--card); border: 1px solid var(--line); border-left-width: 6px; border-radius: 10px; padding: 14px 20px; }
.banner p { margin: 0; font-size: 16px; overflow-wrap: anywhere; }
h2 { margin: 0; font-size: 20px; letter-spacing: -0.01em; }
.hold { margin-top: 12px; background: var(--bad-bg); border: 1px solid var(--bad); border-radius: 10px; padding: 12px 20px; }
.hold p { margin: 3px 0; overflow-wrap: anywhere; }
.command { user-select: all; background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 2px 7px; }
.note { margin: 12px 0 0; background: var(--quiet-bg); border-radius: 8px; padding: 8px 16px; color: var(--soft); }
.tiles { display: grid; grid-template-columns: repeat(4, 1fr); gap: 12px; margin: 12px 0 24px; }
.tile { background: var(--card); border: 1px solid var(--line); border-left-width: 4px; border-radius: 10px; padding: 12px 16px; }
.edge-bad { border-left-color: var(--bad); } .edge-warn { border-left-color: var(--warn); }
.edge-blind { border-left-color: var(--blind); } .edge-good { border-left-color: var(--good); }
.edge-quiet { border-left-color: var(--line); }
.tile h3 { margin: 0; color: var(--soft); font-size: 13px; font-weight: 500; }
.figure { margin: 0; font-size: 25px; font-weight: 650; letter-spacing: -0.02em; line-height: 1.35; }
.detail { margin: 2px 0 0; color: var(--soft); font-size: 13px; }
.text-bad { color: var(--bad); } .text-warn { color: var(--warn); } .text-blind { color: var(--blind); }
.text-good { color: var(--good); } .text-quiet { color: var(--text); }
table { width: 100%; margin: 0 0 24px; border-spacing: 0; background: var(--card); border: 1px solid var(--line); border-radius: 10px; overflow: hidden; }
caption { padding: 0 2px 8px; text-align: left; font-size: 16px; font-weight: 600; }
th, td { padding: 8px 16px; text-align: left; vertical-align: top; font-weight: 400; border-top: 1px solid var(--line); }
thead th { border-top: 0; color: var(--soft); font-size: 12px; font-weight: 500; white-space: nowrap; }
tbody th { font-weight: 500; }
code { font: 12.5px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.id { display: block; color: var(--soft); font-size: 11.5px; font-weight: 400; }
.why { display: block; color: var(--soft); font-size: 13px; font-weight: 400; }
.ago, .none, .count.quiet { color: var(--soft); font-size: 13px; }
td .ago { display: inline-block; white-space: nowrap; }
td time + .ago { display: block; }
.num + .why { white-space: nowrap; }
bdi, .id { overflow-wrap: anywhere; }
.num { font-variant-numeric: tabular-nums; }
time { white-space: nowrap; font-variant-numeric: tabular-nums; }
.mode { display: block; }
.mode .ago { min-width: 40px; }
.count { white-space: nowrap; margin-right: 6px; }
.badge { display: inline-block; border-radius: 99px; padding: 0 9px; font-size: 12.5px; font-weight: 600; line-height: 1.6; white-space: nowrap; }
.badge.bad { color: var(--bad); background: var(--bad-bg); } .badge.warn { color: var(--warn); background: var(--warn-bg); }
.badge.blind { color: var(--blind); background: var(--blind-bg); } .badge.good { color: var(--good); background: var(--good-bg); }
.badge.quiet { color: var(--quiet); background: var(--quiet-bg); }
.bar { display: block; width: 100%; height: 8px; margin: 4px 0 6px; border-radius: 4px; }
.bar.slim { max-width: 150px; height: 6px; margin: 8px 0 3px; }
.track { fill: var(--track); } .fill-bad { fill: var(--bad); } .fill-warn { fill: var(--warn); }
.fill-blind { fill: var(--blind); } .fill-good { fill: var(--good); } .fill-quiet { fill: var(--line); }
.empty { background: var(--card); border: 1px dashed var(--line); border-radius: 10px; padding: 14px 20px; color: var(--soft); }
.more { margin: -12px 2px 0; color: var(--soft); font-size: 13px; }
footer { display: flex; flex-wrap: wrap; gap: 6px 18px; padding-bottom: 32px; font-size: 13px; color: var(--soft); }
footer span { margin-left: auto; }
@media (max-width: 900px) { .tiles { grid-template-columns: repeat(2, 1fr); } }
@media (max-width: 700px) {
  header, main, footer { padding-left: 14px; padding-right: 14px; }
  .asof { margin-left: 0; width: 100%; }
  .tiles { gap: 8px; }
  .tile { padding: 10px 12px; }
  .figure { font-size: 20px; }
  table, caption, tbody, tr, th, td { display: block; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table { background: none; border: 0; border-radius: 0; overflow: visible; }
  tbody tr { background: var(--card); border: 1px solid var(--line); border-radius: 10px; margin-bottom: 8px; padding: 8px 14px; }
  th, td { border-top: 0; padding: 3px 0; }
  tbody th { font-size: 16px; font-weight: 600; }
  td { display: grid; grid-template-columns: 104px minmax(0, 1fr); }
  td::before { content: attr(data-label); color: var(--soft); font-size: 12.5px; padding-top: 2px; }
  .bar.slim { width: 150px; margin-top: 8px; }
  td, .badge { overflow-wrap: anywhere; }
  footer span { margin-left: 0; }
}
`
