/** The page apart from its tables: heading, tenants, summary, tiles and holds. */
export const frame = `* { box-sizing: border-box; }
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
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.outdated { position: sticky; top: 0; z-index: 1; margin: 0; padding: 10px 24px; text-align: center; font-weight: 600; color: var(--bad); background: var(--bad-bg); border-bottom: 1px solid var(--bad); }
.outdated[hidden] { display: none; }
.tenant { margin-bottom: 48px; }
.part { margin-bottom: 28px; }
.banner { display: flex; flex-wrap: wrap; align-items: baseline; gap: 2px 16px; background: var(--card); border: 1px solid var(--line); border-left-width: 6px; border-radius: 10px; padding: 14px 20px; }
.banner p { margin: 0; font-size: 16px; overflow-wrap: anywhere; }
.parts { display: flex; flex-wrap: wrap; gap: 2px 14px; width: 100%; font-size: 13px; }
.hold { margin-top: 12px; background: var(--bad-bg); border: 1px solid var(--bad); border-radius: 10px; padding: 12px 20px; }
.hold p { margin: 3px 0; overflow-wrap: anywhere; }
.hold .ago { color: var(--text); }
.command { user-select: all; background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 2px 7px; overflow-wrap: anywhere; }
.note { margin: 12px 0 0; background: var(--quiet-bg); border-radius: 8px; padding: 8px 16px; color: var(--quiet); }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(210px, 1fr)); gap: 10px; margin: 10px 0 28px; padding: 0; list-style: none; }
.tenant-card { display: grid; align-content: start; gap: 1px; background: var(--card); border: 1px solid var(--line); border-left-width: 4px; border-radius: 10px; padding: 10px 14px; font-size: 13px; overflow-wrap: anywhere; }
.tenant-card a { font-size: 15px; font-weight: 600; }
.quiet-text { color: var(--soft); }
.tiles { display: grid; grid-template-columns: repeat(4, 1fr); gap: 12px; margin: 12px 0 24px; }
.tile { background: var(--card); border: 1px solid var(--line); border-left-width: 4px; border-radius: 10px; padding: 12px 16px; min-width: 0; }
.tile h3 { margin: 0; color: var(--soft); font-size: 13px; font-weight: 500; }
.figure { margin: 0; font-size: 25px; font-weight: 650; letter-spacing: -0.02em; line-height: 1.35; }
.detail { margin: 2px 0 0; color: var(--soft); font-size: 13px; }
.problems { margin: 0 0 12px; padding: 0; list-style: none; display: grid; gap: 8px; }
.problem { background: var(--card); border: 1px solid var(--line); border-left-width: 4px; border-radius: 10px; padding: 8px 16px; overflow-wrap: anywhere; }
.todo { display: block; font-size: 13px; }
.edge-bad { border-left-color: var(--bad); } .edge-warn { border-left-color: var(--warn); }
.edge-unknown { border-left-color: var(--unknown); } .edge-good { border-left-color: var(--good); }
.edge-quiet { border-left-color: var(--line); }
footer { display: flex; flex-wrap: wrap; gap: 6px 18px; padding-bottom: 32px; font-size: 13px; color: var(--soft); }
footer span { margin-left: auto; }
`
