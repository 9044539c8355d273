/** Light and dark on a screen; black on white on paper, without page breaks in rows and with headings on every page. */
export const stylesheet = `:root {
  color-scheme: light dark;
  --bg: #f4f6f9; --card: #fff; --line: #dfe4ec; --text: #1b2330; --soft: #5a6678;
  --bad: #c4262e; --bad-bg: #fdeaea; --warn: #96590a; --warn-bg: #fdf1dc;
  --unknown: #6b46b8; --unknown-bg: #f0eafb; --good: #1b7a43; --good-bg: #e3f5ea;
  --quiet: #5a6678; --quiet-bg: #eceff4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #0f141b; --card: #171e28; --line: #2a3442; --text: #e6ebf2; --soft: #98a5b8;
    --bad: #ff7a7a; --bad-bg: #3b1a1d; --warn: #f0b35a; --warn-bg: #372812;
    --unknown: #bda2f5; --unknown-bg: #2a2145; --good: #6fd596; --good-bg: #14311f;
    --quiet: #a3afc0; --quiet-bg: #232d3a;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--text); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
header, main, footer { max-width: 1180px; margin: 0 auto; padding: 0 24px; }
h1 { margin: 18px 0 12px; font-size: 22px; } h1 small { color: var(--soft); font-size: 13px; font-weight: 400; }
h2 { margin: 0; font-size: 20px; } h3, caption { margin: 0; padding: 0 2px 8px; text-align: left; font-size: 16px; font-weight: 600; }
section { margin-bottom: 44px; }
.head { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; margin: 0 0 16px; }
.head dt { color: var(--soft); } .head dd { margin: 0; overflow-wrap: anywhere; }
.banner { display: flex; flex-wrap: wrap; align-items: baseline; gap: 2px 16px; background: var(--card); border: 1px solid var(--line); border-left-width: 6px; border-radius: 10px; padding: 14px 20px; }
.banner p { margin: 0; } .banner h2 { min-width: 0; overflow-wrap: anywhere; }
.edge-bad { border-left-color: var(--bad); } .edge-unknown { border-left-color: var(--unknown); } .edge-good { border-left-color: var(--good); }
.sums { margin: 12px 0; }
.note, .empty { margin: 12px 0; background: var(--quiet-bg); border-radius: 8px; padding: 8px 16px; color: var(--soft); }
.hold { margin: 12px 0; background: var(--bad-bg); border: 1px solid var(--bad); border-radius: 10px; padding: 8px 20px; }
.hold p { margin: 3px 0; overflow-wrap: anywhere; }
table { width: 100%; margin: 0 0 24px; border-spacing: 0; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
th, td { padding: 8px 14px; text-align: left; vertical-align: top; font-weight: 400; border-top: 1px solid var(--line); }
thead th { border-top: 0; color: var(--soft); font-size: 12px; white-space: nowrap; }
code { font: 12.5px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
bdi, .id, .facts, .sums { overflow-wrap: anywhere; } .facts { font-size: 11.5px; }
.id, .why { display: block; color: var(--soft); } .id { font-size: 11.5px; } .why { font-size: 13px; }
time { white-space: nowrap; }
.badge { display: inline-block; border-radius: 99px; padding: 0 9px; font-size: 12.5px; font-weight: 600; line-height: 1.6; white-space: nowrap; }
.badge.bad { color: var(--bad); background: var(--bad-bg); } .badge.warn { color: var(--warn); background: var(--warn-bg); }
.badge.unknown { color: var(--unknown); background: var(--unknown-bg); } .badge.good { color: var(--good); background: var(--good-bg); }
.badge.quiet { color: var(--quiet); background: var(--quiet-bg); }
footer { padding-bottom: 32px; font-size: 13px; color: var(--soft); }
@media (max-width: 700px) { header, main, footer { padding: 0 12px; } table { display: block; overflow-x: auto; } .head { grid-template-columns: 1fr; gap: 0; } .head dd { margin-bottom: 6px; } }
@media print {
  :root {
    color-scheme: light;
    --bg: #fff; --card: #fff; --line: #bbb; --text: #000; --soft: #333;
    --bad: #8f1019; --bad-bg: #fff; --warn: #6b3f00; --warn-bg: #fff; --unknown: #452a86; --unknown-bg: #fff;
    --good: #0f5a2e; --good-bg: #fff; --quiet: #333; --quiet-bg: #fff;
  }
  body { font-size: 10pt; }
  header, main, footer { max-width: none; padding: 0; }
  .badge { border: 1px solid currentcolor; }
  thead { display: table-header-group; }
  tr, .hold { break-inside: avoid; }
  caption, h2, h3 { break-after: avoid; }
}
`
