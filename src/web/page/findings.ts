import { html } from 'hono/html'
import { describeFinding } from '../../model/describe.ts'
import { namesIn } from '../../model/entity-names.ts'
import { type FindingView, shortFingerprint } from '../../model/finding.ts'
import { grouped as number, plural, wordOf } from '../../model/text/words.ts'
import { advice, badge, command, factName, factText, foreign, type Html, instant, severityTone } from './html.ts'
import type { TenantPage } from './load-page.ts'
import { syncButton } from './sync-now.ts'

/** The page shows the first facts; `explain` shows all. */
const maxFacts = 24

export function findingList(views: readonly FindingView[], page: TenantPage): Html {
  return html`<ul class="findings">${views.map((view) => item(view, page))}</ul>`
}

function item(view: FindingView, page: TenantPage): Html {
  const { now } = page
  const { severity, state, resolvedAt, resolution, firstSeen, fingerprint, owner } = view
  const waived = state === 'waived' ? html` ${badge('waived', 'quiet')}` : ''
  const when =
    resolvedAt === null
      ? html`first seen ${instant(Date.parse(firstSeen), now)}`
      : html`${badge(wordOf(resolution ?? 'resolved'), 'good')} ${instant(Date.parse(resolvedAt), now)}`
  return html`<li id="finding-${fingerprint}">${badge(severity, severityTone[severity])}${waived} ${entity(view, namesOf(view, page))} <span class="said">${foreign(view.message)}</span> <span class="ago">${when}${owner === null ? '' : html` &middot; ${foreign(owner)}`}</span>${details(view, page)}</li>
`
}

/** Names first, then the id unless the message has it; of settings and the like the type alone. */
function entity({ entity: { type, id }, message }: FindingView, names: readonly string[]): Html {
  const more = type === id || message.includes(id) ? '' : html` <span class="type">${type} ${foreign(id)}</span>`
  return html`<strong>${foreign(names.join(' · '))}</strong>${more}`
}

/** The names of the person, client or file, or else the id. */
export function namesOf({ entity: one }: FindingView, { secrets }: Pick<TenantPage, 'secrets'>): readonly string[] {
  const names = namesIn(one)
  if (names.length > 0) return names
  const client = one.type === 'api-client' ? secrets.find(({ clientId }) => clientId === one.id) : undefined
  return [client?.name ?? one.id]
}

function details(view: FindingView, page: TenantPage): Html {
  const { now } = page
  const { fingerprint, waiver, reopened, state, owner, link } = view
  const facts = Object.entries(view.evidence)
  const rows: (readonly [name: string, value: Html | string])[] = []
  const add = (name: string, value: Html | string) => rows.push([name, value])
  const id = shortFingerprint(fingerprint)
  const resource = page.evaluates(view.check)
  const recheck = resource === undefined || state === 'resolved' ? '' : syncButton(page, 'Recheck', resource)
  add('Next', html`${advice(describeFinding(view).next ?? '')} ${recheck}`)
  if (state === 'open') add('If it is accepted', command(`waive ${id} --reason TEXT --owner WHO --expires DATE`))
  if (owner !== null) add('Owner', foreign(owner))
  if (link !== null) add('In the portal', html`<a href="${link}" rel="noreferrer">${link}</a>`)
  for (const [name, value] of facts.slice(0, maxFacts)) add(factName(name), foreign(factText(value)))
  if (facts.length > maxFacts) add('More', `${number(facts.length - maxFacts)} more facts`)
  add('First seen', instant(Date.parse(view.firstSeen), now))
  add('Last seen', instant(Date.parse(view.lastSeen), now))
  if (reopened > 0) add('Reopened', plural(reopened, 'time'))
  if (waiver !== null)
    add(
      'Waiver',
      foreign(
        `${waiver.id} (${waiver.state}, to ${waiver.expires}, ${waiver.owner}): ${waiver.reason} ${waiver.explanation ?? ''}`,
      ),
    )
  return html`<details id="evidence-${fingerprint}"><summary>Evidence</summary>
<dl>${rows.map(([name, value]) => html`<dt>${foreign(name)}</dt><dd>${value}</dd>`)}</dl>
</details>`
}
