import type { NewsKind } from '../config/notifications.ts'
import type { NotificationSettings } from '../config/settings.ts'
import { type Severity, severities } from '../model/severity.ts'
import { grouped } from '../model/text/words.ts'

/** Most items of a message; more are counted. */
const mostItems = 10

export interface NewsItem {
  /** Last event of the tenant's history that it is about. */
  readonly eventId: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly kind: NewsKind
  /** Such as `opened`, or `resolved (fixed)`. */
  readonly label: string
  readonly text: string
  /** Null for news that is not about a finding; likewise the next three. */
  readonly severity: Severity | null
  readonly check: string | null
  readonly fingerprint: string | null
  readonly url: string | null
}

/** While news is read. */
export interface ReadItem extends NewsItem {
  /** The finding, the scope of the hold or the checks: an item matters less once later ones are about all of them. */
  readonly about: readonly string[]
}

/** Of news that is not about a finding. */
export const noFinding = { severity: null, check: null, fingerprint: null, url: null } as const

export interface Message {
  /** `tenant/event`: the same for a message that is sent again after a crash, unless there is more news by then. */
  readonly id: string
  readonly target: string
  readonly tenant: string
  readonly title: string
  /** In the order of events. */
  readonly items: readonly NewsItem[]
  /** Number of further items. */
  readonly more: number
  /** The tenant on the status page; null if its address is not configured. */
  readonly url: string | null
}

/** News of a tenant for a target. */
export interface News {
  /** The foremost ones, in the order of events. */
  readonly items: readonly ReadItem[]
  /** Number of all items. */
  readonly found: number
  /** Findings, checks and holds, by label. */
  readonly counts: ReadonlyMap<string, number>
  /** Of the first and the last of all items. */
  readonly firstAt: number
  readonly lastEventId: number
}

export const noNews: News = { items: [], found: 0, counts: new Map(), firstAt: 0, lastEventId: 0 }

/** Keeps the most items that a message has. @param count what the item stands for. */
export function withItem({ items, found, counts, firstAt, lastEventId }: News, item: ReadItem, count = 1): News {
  return {
    items: foremost([...items, item]),
    found: found + 1,
    counts: new Map(counts).set(item.label, (counts.get(item.label) ?? 0) + count),
    firstAt: found === 0 ? item.at : Math.min(firstAt, item.at),
    lastEventId: Math.max(lastEventId, item.eventId),
  }
}

/**
 * In the order of events. Of too many, without the first one that a later one has replaced, else of the lowest severity; items
 * without one are above all.
 */
function foremost(items: readonly ReadItem[]): readonly ReadItem[] {
  const ordered = items.toSorted(byEvent)
  if (ordered.length <= mostItems) return ordered
  const worth = ordered.map((item, i) => {
    const later = ordered.slice(i + 1)
    const isOver = item.about.every((subject) => later.some(({ about }) => about.includes(subject)))
    return isOver ? -1 : rankOf(item)
  })
  return ordered.toSpliced(worth.indexOf(Math.min(...worth)), 1)
}

const byEvent = (a: NewsItem, b: NewsItem) => a.eventId - b.eventId

function rankOf({ severity }: NewsItem): number {
  return severity === null ? severities.length : severities.indexOf(severity)
}

/** Whose news it is, and whom it is for. */
export interface Addressed {
  readonly target: Pick<NotificationSettings, 'name'>
  readonly tenant: string
  /** `server.externalUrl`. */
  readonly pageUrl: string | null
}

export function messageOf(news: News, { target, tenant, pageUrl }: Addressed): Message {
  const { items, found, counts, lastEventId } = news
  const numbers = [...counts].map(([label, count]) => `${grouped(count)} ${label}`).join(', ')
  return {
    id: `${tenant}/${lastEventId}`,
    target: target.name,
    tenant,
    title: `${tenant}: ${numbers}`,
    items: items.map(({ about: _, ...item }) => item),
    more: found - items.length,
    url: pageUrl === null ? null : `${pageUrl}/?tenant=${tenant}`,
  }
}

/** Address of a finding on the status page, whatever its state is by then; null if that of the page is not configured: then the portal's counts. */
export function findingUrl({ tenant, pageUrl }: Omit<Addressed, 'target'>, fingerprint: string): string | null {
  return pageUrl === null ? null : `${pageUrl}/?tenant=${tenant}&state=all&q=${fingerprint}#finding-${fingerprint}`
}

/** For people: the most severe first, then in the order of events. */
export function bySeverity(items: readonly NewsItem[]): readonly NewsItem[] {
  return items.toSorted((a, b) => rankOf(b) - rankOf(a))
}

/** `opened, high: the finding`. */
export function lineOf({ label, severity, text }: NewsItem): string {
  return `${label}${severity === null ? '' : `, ${severity}`}: ${text}`
}

/** `and 112 more · acme/1234` */
export function lastLineOf({ more, id }: Message): string {
  return more > 0 ? `and ${grouped(more)} more · ${id}` : id
}

/** What `notify --test` sends. */
export function testMessage(target: string, pageUrl: string | null, at: number): Message {
  const text = 'A test message: notifications reach this target'
  const item: NewsItem = { eventId: 0, at, kind: 'opened', label: 'test', text, ...noFinding }
  const title = 'test of tenantwatch'
  return { id: `test/${at}`, target, tenant: 'test', title, items: [item], more: 0, url: pageUrl }
}
