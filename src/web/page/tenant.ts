import { html } from 'hono/html'
import { dayMs } from '../../model/durations.ts'
import { identitySentences } from '../../model/posture.ts'
import { dataQualityOf } from '../data-quality.ts'
import { tally } from '../tally.ts'
import { changes } from './changes.ts'
import { checkResult } from './check-result.ts'
import { checks } from './checks.ts'
import { findings } from './findings.ts'
import { holds } from './holds.ts'
import type { TenantPage } from './load-page.ts'
import type { PageQuery } from './page-query.ts'
import { resources } from './resources.ts'
import { secrets } from './secrets.ts'
import type { Html } from './text.ts'
import { tiles } from './tiles.ts'
import { instant } from './times.ts'
import { waivers } from './waivers.ts'

const skewWorthSayingMs = 60_000
const ownSecretWorthSayingMs = 30 * dayMs

const partNames = [
  ['data', 'Data'],
  ['checks', 'Checks'],
  ['findings', 'Findings'],
  ['secrets', 'Secrets'],
  ['changes', 'Changes'],
  ['waivers', 'Waivers'],
] as const

/** Everything of one tenant: the check result first, then what to do, then whether it can be trusted, then why. */
export function tenant(page: TenantPage, query: PageQuery, now: number): Html {
  const { posture } = page
  const quality = dataQualityOf(posture)
  const sums = tally(posture)
  const { tone, sentence } = checkResult(posture, quality, sums)
  return html`<section class="tenant" id="tenant-${posture.tenant}" aria-labelledby="name-${posture.tenant}">
<div class="banner edge-${tone}"><h2 id="name-${posture.tenant}">${posture.tenant}</h2><p>${sentence}</p><nav class="parts" aria-label="Parts of ${posture.tenant}">${partNames.map(([part, word]) => html`<a href="#${part}-${posture.tenant}">${word}</a> `)}</nav></div>
${holds(posture.holds, now)}${notes(page, now)}${tiles(page, quality, sums, now)}
${resources(posture, now)}
${checks(posture, query, now)}
${findings(page, query, now)}
${secrets(page, now)}
${changes(page, now)}
${waivers(page, now)}
</section>
`
}

function notes({ posture, secrets: views }: TenantPage, now: number): Html {
  const { clockSkewMs, blockedUntil } = posture
  const blocked =
    blockedUntil > now
      ? html`<p class="note">The tenant asked to wait: nothing is sent before ${instant(blockedUntil, now)}.</p>`
      : ''
  const skewed =
    clockSkewMs !== null && Math.abs(clockSkewMs) >= skewWorthSayingMs
      ? html`<p class="note">The tenant's clock is ${Math.round(Math.abs(clockSkewMs) / 1000)} s ${clockSkewMs > 0 ? 'ahead of' : 'behind'} this machine's.</p>`
      : ''
  const own = views.find((secret) => secret.own)
  const goesBlind =
    own !== undefined && own.expiresAt - now <= ownSecretWorthSayingMs
      ? html`<p class="note">The secret that this watch itself uses ${own.expiresAt > now ? 'expires' : 'has expired'}: ${instant(own.expiresAt, now)}. Without a new one it goes blind.</p>`
      : ''
  const identity = posture.identity === 'proven' ? '' : html`<p class="note">${identitySentences[posture.identity]}</p>`
  return html`${goesBlind}${blocked}${skewed}${identity}`
}
