import { html } from 'hono/html'
import { describeHold, describeIdentity, describePosture, isUnknown, sentencesOf } from '../../model/describe.ts'
import { expiriesOf, expiryName } from '../../model/expiry.ts'
import { listsRecords } from '../../model/holds.ts'
import type { CheckView, HoldView, TenantPosture } from '../../model/posture.ts'
import { isFreshAndComplete, shownStatus } from '../../model/posture-state.ts'
import { severities } from '../../model/severity.ts'
import { grouped as number, plural, replicaName } from '../../model/text/words.ts'
import { dayMs, describeDuration, distance } from '../../model/time.ts'
import type { Trend } from '../../model/trend.ts'
import { endings } from '../plots/ending.ts'
import { openFindings } from '../plots/open-findings.ts'
import { weeksOfFindings } from '../plots/weeks.ts'
import { checkList, countsOf, rankOf, sorted } from './checks.ts'
import { findingFilter, findingLinks } from './filter.ts'
import { findingList, namesOf } from './findings.ts'
import { advice, badge, command, foreign, type Html, instant, levelTone, part, severityTone, stamp } from './html.ts'
import { most, type TenantPage } from './load-page.ts'
import { hrefOf, isFiltered, trendDays, unfiltered } from './page-query.ts'
import { changes, data, dataProblems, secrets, waivers } from './parts.ts'
import { lastSync, syncButton } from './sync-now.ts'

/** A secret may have changed since it was read. */
function secretsNote({ posture: { resources, holds } }: Pick<TenantPage, 'posture'>): string {
  const clients = resources.find(({ resource }) => resource === 'api-clients')
  if (clients === undefined || clients.dataAsOf === null)
    return 'secrets not known: API clients were never read in full'
  return isFreshAndComplete(clients, holds) ? '' : 'secrets as last read'
}

function plots(page: TenantPage): Html | string {
  const { trend, posture, now } = page
  if (trend === null) return ''
  const name = posture.tenant
  const note = secretsNote(page)
  const days = page.query.days ?? defaultDays(trend)
  return html`<div class="plots">${openFindings(trend, name, Number(days), spans(page, days))}${weeksOfFindings(trend, name)}${endings(expiriesOf(posture, page.secrets), name, now, note)}</div>`
}

/** Of a short history the shortest span. */
function defaultDays({ samples }: Trend): (typeof trendDays)[number] {
  return samples.at(-Number(trendDays[0]))?.open == null ? '7' : '30'
}

function spans({ query, posture }: TenantPage, shown: string): Html {
  const links = trendDays.map((days) => {
    const current = days === shown ? 'true' : 'false'
    return html`<a id="days-${days}-${posture.tenant}" href="${hrefOf(query, { days }, `#open-${posture.tenant}`)}" aria-current="${current}">${days} days</a>`
  })
  return html`<nav aria-label="Span of the plot">${links}</nav>`
}

const skewWorthSayingMs = 60_000
const ownSecretWorthSayingMs = 30 * dayMs
/** Of new findings, and of what expires next. */
const mostInBrief = 3
const highRank = severities.indexOf('high')

export function tenant(page: TenantPage): Html {
  const { posture } = page
  const name = posture.tenant
  const { level, text } = describePosture(posture)
  return html`<section class="tenant" id="tenant-${name}" aria-labelledby="name-${name}">
<div class="banner edge-${levelTone[level]}"><h2 id="name-${name}">${name}</h2><p>${text}</p>${syncButton(page, 'Sync now')}</div>
${lastSync(page)}${ownerNote(page)}${filterNote(page)}${holds(page)}${notes(page)}${dataProblems(page)}${isFiltered(page.query) ? filtered(page) : whole(page)}
${data(page)}${secrets(page)}${changes(page)}${waivers(page)}</section>
`
}

/** What to do today comes first: critical and high findings, what is new since yesterday, and what expires next. */
function whole(page: TenantPage): Html {
  const { posture } = page
  const { tenant: name } = posture
  const checks = sorted(posture.checks)
  const isWrong = (status: string) => status === 'fail' || status === 'unknown'
  const urgent = checks.filter((view) => rankOf(view) >= highRank)
  const others = checks.filter((view) => rankOf(view) < highRank && view.enabled && isWrong(shownStatus(view)))
  const rest = checks.filter((view) => !urgent.includes(view) && !others.includes(view))
  const isKnown = describePosture(posture).level === 'ok'
  const calm = html`<p class="empty">No critical or high finding is ${isKnown ? 'open' : 'known'}.</p>`
  const folded =
    rest.length === 0
      ? ''
      : html`<details id="rest-${name}"><summary>${countsOf(rest)}</summary>${checkList(rest, page)}</details>`
  return html`<div class="now"><section id="checks-${name}" aria-labelledby="now-${name}"><h3 id="now-${name}">Fix these now</h3>${
    urgent.length === 0 ? calm : checkList(urgent, page)
  }</section><div>${recent(page)}${expiries(page)}</div></div>
${plots(page)}
${part(`findings-${name}`, urgent.length === 0 ? 'Findings' : 'Other findings', html`${findingFilter(page)}${checkList(others, page)}${folded}${findingLinks(page)}`)}`
}

/** Also the checks that may still have such a finding: an empty list must not look like a pass. */
function filtered(page: TenantPage): Html {
  const { posture, findings, query } = page
  const names = new Set(findings.list.map(({ check }) => check))
  const { check: wanted, severity = severities } = query
  const mayFail = (view: CheckView) =>
    view.enabled &&
    (shownStatus(view) === 'unknown' || view.partial !== undefined) &&
    view.severities.some((one) => severity.includes(one))
  const checks = sorted(posture.checks).filter(
    (view) => names.has(view.check) || view.check === wanted || (wanted === undefined && mayFail(view)),
  )
  const others = findings.list.filter((view) => !checks.some(({ check }) => check === view.check))
  const none = findings.list.length === 0 ? html`<p class="empty">No known finding matches this filter.</p>` : ''
  const list = html`${none}${checkList(checks, page)}${others.length === 0 ? '' : findingList(others, page)}`
  return part(`findings-${posture.tenant}`, 'Findings', html`${findingFilter(page)}${list}${findingLinks(page)}`)
}

function recent(page: TenantPage): Html {
  const { recent: all } = page.findings
  const shown = all.slice(0, mostInBrief)
  const id = `new-${page.posture.tenant}`
  const items = shown.map(
    (view) =>
      html`<li>${badge(view.severity, severityTone[view.severity])} ${foreign(namesOf(view, page)[0] ?? '')} <code>${view.check}</code></li>`,
  )
  const rest = `${all.length === most.recent ? 'at least ' : ''}${number(all.length - shown.length)} more`
  const more = all.length > shown.length ? html`<li>and ${rest}</li>` : ''
  const nothing = page.posture.checks.some(isUnknown) ? 'Nothing known' : 'Nothing'
  return brief(id, 'New since yesterday', shown.length === 0 ? html`<li>${nothing}</li>` : html`${items}${more}`)
}

/** A secret may have changed since it was read: what is not fresh says so. */
function expiries(page: TenantPage): Html {
  const { posture, secrets: views, now } = page
  const isFresh = secretsNote(page) === ''
  const next = expiriesOf(posture, views)
    .filter(({ at }) => at > now)
    .toSorted((a, b) => a.at - b.at)
  const items = next.slice(0, mostInBrief).map((one) => {
    const what = html`${one.kind === 'secret' ? 'secret of' : 'waiver'} <strong>${foreign(expiryName(one))}</strong>`
    return html`<li>${what} <span class="ago">${distance(one.at, now)}</span></li>`
  })
  const past = views.filter(({ expiresAt }) => expiresAt <= now).length
  const expired =
    past === 0 ? '' : html`<li class="text-bad">${plural(past, 'secret has', 'secrets have')} expired</li>`
  const none = past + next.length === 0 ? html`<li>Nothing${isFresh ? '' : ' known'}</li>` : ''
  const old = isFresh ? '' : html`<li class="text-unknown">Secrets as last read</li>`
  return brief(`next-${posture.tenant}`, 'Expires next', html`${expired}${items}${none}${old}`)
}

function brief(id: string, title: string, items: Html): Html {
  return html`<section aria-labelledby="${id}"><h3 id="${id}">${title}</h3><ul>${items}</ul></section>`
}

/** Note that the findings are filtered, unlike summary and holds. */
function filterNote({ posture: { tenant: name }, query }: TenantPage): Html | string {
  if (!isFiltered(query)) return ''
  const all = hrefOf(query, unfiltered, `#findings-${name}`)
  return html`<p class="note">The <a href="#findings-${name}">findings below</a> are filtered: <a href="${all}">show all</a>.</p>`
}

function notes({ posture, secrets: views, now }: TenantPage): Html {
  const { clockSkewMs, blockedUntil, identity } = posture
  const said: Html[] = []
  const own = views.find((secret) => secret.own)
  if (own !== undefined && own.expiresAt - now <= ownSecretWorthSayingMs)
    said.push(
      html`The secret of tenantwatch itself ${own.expiresAt > now ? 'expires' : 'has expired'}: ${instant(own.expiresAt, now)}. Without a new one monitoring stops.`,
    )
  if (blockedUntil > now)
    said.push(html`The API asked to wait: no request is sent before ${instant(blockedUntil, now)}.`)
  if (clockSkewMs !== null && Math.abs(clockSkewMs) >= skewWorthSayingMs)
    said.push(
      html`The tenant's clock is ${Math.round(Math.abs(clockSkewMs) / 1000)} s ${clockSkewMs > 0 ? 'ahead of' : 'behind'} this machine's.`,
    )
  if (identity !== 'proven') said.push(html`${sentencesOf(describeIdentity(posture))}.`)
  return html`${said.map((one) => html`<p class="note">${one}</p>`)}`
}

function holds({ posture: { tenant: name, holds: views }, now }: TenantPage): Html {
  return html`<div id="holds-${name}">${views.map((hold) => card(hold, now))}</div>`
}

function card(hold: HoldView, now: number): Html {
  const subject = hold.resource === 'all' ? 'the whole tenant' : hold.resource
  const { text, next } = describeHold(hold)
  const canAccept = hold.acceptedReason === undefined && hold.remedy === undefined
  const records =
    canAccept && listsRecords(hold.reason)
      ? html`<p>The ids of the records: ${command(`accept ${hold.id} --list`)}</p>`
      : ''
  return html`<div class="hold" role="group" aria-label="On hold: ${subject}">
<p><strong>${subject}</strong> <code>${hold.reason}</code> <span class="ago">since ${stamp(hold.raisedAt)}, ${distance(hold.raisedAt, now)}</span></p>
<p>${foreign(text)}</p><p>${advice(next ?? '')}</p>${records}
</div>
`
}

/** Empty if only one process uses the database. */
function ownerNote({ posture: { owner }, now }: TenantPage): Html | string {
  if (owner === undefined) return ''
  const { replica, isAlive, since, heartbeatAgeMs } = owner
  const began = since === null ? '' : html` since ${stamp(since)}, ${distance(since, now)}`
  const beat = heartbeatAgeMs === null ? '' : `; last heartbeat ${describeDuration(heartbeatAgeMs)} ago`
  if (isAlive && replica !== null)
    return html`<p class="more owner">Owned by replica ${replicaCode(replica)}${began}${beat}.</p>`
  const last = replica === null ? '' : html` Its last owner was ${replicaCode(replica)}${beat}.`
  return html`<p class="problem owner edge-unknown"><strong>No replica owns this tenant</strong>${began}. It is not synced and not evaluated until one does.${last}</p>`
}

function replicaCode(replica: string): Html {
  return html`<code title="${replica}">${foreign(replicaName(replica))}</code>`
}

/** For a tenant's card in the overview. */
export function ownerWord({ owner }: Pick<TenantPosture, 'owner'>): Html | string {
  if (owner === undefined) return ''
  if (!owner.isAlive || owner.replica === null) return html`<span class="text-unknown">no owner</span>`
  return html`<span class="quiet-text">on ${replicaCode(owner.replica)}</span>`
}
