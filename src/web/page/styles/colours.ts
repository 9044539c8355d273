/** Colours by what they say, for light and dark screens; every text keeps a contrast of 4.5 to 1 (WCAG 2.2, AA). */
export const colours = `:root {
  color-scheme: light dark;
  --bg: #f4f6f9; --card: #ffffff; --line: #dfe4ec; --text: #1b2330; --soft: #566274; --edge: #76829a;
  --bad: #b9222a; --bad-bg: #fdeaea; --warn: #8a5106; --warn-bg: #fdf1dc;
  --blind: #6440b0; --blind-bg: #f0eafb; --good: #17703c; --good-bg: #e3f5ea;
  --quiet: #556174; --quiet-bg: #eceff4; --own: #1d58ba; --own-bg: #e6eefb; --link: #1d58ba; --track: #e0e5ed;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #0f141b; --card: #171e28; --line: #2a3442; --text: #e6ebf2; --soft: #9dabbd; --edge: #6c7a8e;
    --bad: #ff8585; --bad-bg: #3b1a1d; --warn: #f0b35a; --warn-bg: #372812;
    --blind: #c0a6f6; --blind-bg: #2a2145; --good: #6fd596; --good-bg: #14311f;
    --quiet: #a9b5c5; --quiet-bg: #232d3a; --own: #8ab6ff; --own-bg: #16294a; --link: #8ab6ff; --track: #303b4b;
  }
}
.text-bad { color: var(--bad); } .text-warn { color: var(--warn); } .text-blind { color: var(--blind); }
.text-good { color: var(--good); } .text-quiet { color: var(--text); }
.track { fill: var(--track); } .fill-bad { fill: var(--bad); } .fill-warn { fill: var(--warn); }
.fill-blind { fill: var(--blind); } .fill-good { fill: var(--good); } .fill-quiet { fill: var(--edge); }
.badge { display: inline-block; border-radius: 99px; padding: 0 9px; font-size: 12.5px; font-weight: 600; line-height: 1.6; white-space: nowrap; }
.badge.bad { color: var(--bad); background: var(--bad-bg); } .badge.warn { color: var(--warn); background: var(--warn-bg); }
.badge.blind { color: var(--blind); background: var(--blind-bg); } .badge.good { color: var(--good); background: var(--good-bg); }
.badge.quiet { color: var(--quiet); background: var(--quiet-bg); } .badge.own { color: var(--own); background: var(--own-bg); }
`
