import { stylesheet as page } from '../web/page/stylesheet.ts'

const report = `.plot + .plot { margin-top: 12px; } .head { grid-template-columns: max-content minmax(0, 1fr); padding: 0; background: none; font-size: 14px; margin: 12px 0; }
.note { margin: 12px 0; }
.contents { margin: 16px 0; } .contents h3 { font-size: 15px; margin-bottom: 2px; } .contents ol { margin: 0; padding-left: 24px; columns: 3 200px; font-size: 14px; }
.tenant > .part { margin-top: 32px; }
.banner h2 { min-width: 0; } .banner h2, h4, .by, .data code { overflow-wrap: anywhere; }
h3 { font-size: 18px; } h4 { margin: 20px 2px 8px; font-size: 15px; } h4 small { color: var(--soft); font-weight: 400; margin-left: 6px; }
h4 + .count-line { display: inline; margin-right: 6px; font-size: 12px; } .count-line + .facts { display: inline; } .facts + .findings { margin-top: 6px; }
@media (min-width: 701px) { h4 + table th:nth-child(1), h4 + table th:nth-child(2) { width: 12%; } h4 + table th:nth-child(3) { width: 34%; }
  h3 + .data th:nth-child(1) { width: 30%; } h3 + .data th:nth-child(4) { width: 15%; } }
.by { display: block; font-size: 13px; } .by a { display: inline-block; max-width: 100%; margin-right: 4px; }
.findings { margin: 0; padding: 0; list-style: none; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.findings li { padding: 7px 14px; } .findings li + li { border-top: 1px solid var(--line); }
.findings p { margin: 0; overflow-wrap: anywhere; }
.apart + .apart { margin-top: 12px; } .sign { grid-template-columns: max-content minmax(0, 320px); background: none; } .sign dd { border-bottom: 1px solid var(--soft); min-height: 28px; }
.facts { display: block; margin: 2px 0 0; padding: 0; background: none; font-size: 12px; line-height: 1.5; }
.facts div { display: inline-block; max-width: 100%; margin-right: 10px; } .facts dt, .facts dd { display: inline; } .facts code { font-size: inherit; }
@media (min-width: 701px) and (max-width: 900px) { th, td { padding: 8px; } td time { white-space: normal; } }
@media (max-width: 700px) { .head { grid-template-columns: minmax(0, 1fr); } .head dd { margin-bottom: 6px; } .count-line + .facts { display: block; } }
@media print {
  :root {
    --bg: #fff; --card: #fff; --line: #bbb; --text: #000; --soft: #333;
    --bad: #8f1019; --bad-bg: #fff; --warn: #6b3f00; --warn-bg: #fff; --unknown: #452a86; --unknown-bg: #fff;
    --good: #0f5a2e; --good-bg: #fff; --quiet: #333; --quiet-bg: #fff; --link: #000;
  }
  body { font-size: 9.5pt; }
  header, main { max-width: none; padding: 0; }
  nav { display: block; } a { text-decoration: none; }
  .badge { border: 1px solid currentcolor; font-size: 8pt; line-height: 1.3; } .badge.worst { print-color-adjust: exact; }
  th, td, .findings li { padding: 3px 8px; } .facts, .by, .why, code, h4 + .count-line { font-size: 8pt; }
  .findings li, .hold { break-inside: avoid; }
  .tenant + .tenant { break-before: page; }
  h2, h3, h4, h4 + .count-line, .count-line + .facts { break-after: avoid; }
}
`

/** Extends the status page's stylesheet, so that words have the same colors; black on white in print. */
export const stylesheet = page + report
