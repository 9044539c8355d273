import { html } from 'hono/html'
import { tally } from '../tally.ts'
import { trustOf } from '../trust.ts'
import { checks } from './checks.ts'
import { findings } from './findings.ts'
import { holds } from './holds.ts'
import type { TenantPage } from './load-page.ts'
import { resources } from './resources.ts'
import { secrets } from './secrets.ts'
import type { Html } from './text.ts'
import { tiles } from './tiles.ts'
import { instant } from './times.ts'
import { verdict } from './verdict.ts'

const skewWorthSayingMs = 60_000

/** Everything of one tenant: the verdict first, then what to do, then why. */
export function tenant(page: TenantPage, now: number): Html {
  const { posture } = page
  const trust = trustOf(posture)
  const sums = tally(posture)
  const { tone, sentence } = verdict(posture, trust, sums)
  return html`<section id="tenant-${posture.tenant}" aria-labelledby="name-${posture.tenant}">
<div class="banner edge-${tone}"><h2 id="name-${posture.tenant}">${posture.tenant}</h2><p>${sentence}</p></div>
${holds(posture.holds, now)}${notes(page, now)}${tiles(page, trust, sums, now)}
${resources(posture, now)}
${checks(posture, now)}
${secrets(page, now)}
${findings(page, sums.openTotal, now)}
</section>
`
}

function notes({ posture }: TenantPage, now: number): Html {
  const { clockSkewMs, blockedUntil } = posture
  const blocked =
    blockedUntil > now
      ? html`<p class="note">The tenant asked to wait: nothing is sent before ${instant(blockedUntil, now)}.</p>`
      : ''
  const skewed =
    clockSkewMs !== null && Math.abs(clockSkewMs) >= skewWorthSayingMs
      ? html`<p class="note">The tenant's clock is ${Math.round(Math.abs(clockSkewMs) / 1000)} s ${clockSkewMs > 0 ? 'ahead of' : 'behind'} this machine's.</p>`
      : ''
  return html`${blocked}${skewed}`
}
