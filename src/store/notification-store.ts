import type { Db } from './db/db.ts'
import { lastEventOf } from './event-store.ts'
import { findingKinds, listOfKinds } from './events.ts'
import { columnList, type RowOf, selectRows, upsertRow } from './rows.ts'
import { notificationPositions } from './schema/index.ts'

export type NotificationPosition = Omit<RowOf<typeof notificationPositions>, 'target' | 'tenantId'>

export interface FailingNotification extends NotificationPosition {
  readonly tenant: string
  readonly target: string
  readonly failingSince: number
}

/**
 * An event that may be news. `before`: data of the previous state of its subject, a finding for a lapsed waiver; of a check,
 * the last result whose reason is not `never`.
 */
export interface NewsEvent {
  readonly id: number
  readonly at: number
  readonly kind: (typeof findingKinds)[number] | 'result' | 'tenant.state' | 'waiver.lapsed'
  readonly subject: string
  readonly data: string
  readonly before: string | null
}

const stateKinds = [...findingKinds, 'tenant.state'] as const

const newsText = (reason: string) => `select e.id, e.at, e.kind, e.subject, e.data, p.data as before from events e
  left join events p on p.id = case e.kind
    when 'result' then ${lastEventOf(['result'], 'e.tenant_id', 'e.subject', `x.id < e.id and coalesce(${reason}, '') <> 'never'`)}
    else ${lastEventOf(stateKinds, 'e.tenant_id', 'e.subject', 'x.id < e.id')} end
  where e.tenant_id = ? and e.id > ? and e.id <= ? and e.kind in (${listOfKinds([...stateKinds, 'result', 'waiver.lapsed'])})
    and e.data is not null order by e.id limit 500`

export function notificationStore(db: Db) {
  return {
    notificationPosition: (tenantId: number, target: string): Promise<NotificationPosition | undefined> =>
      db.read(async (tx) => {
        const rest = 'where tenant_id = ? and target = ?'
        return (await selectRows(tx, notificationPositions, rest, [tenantId, target]))[0]
      }),
    saveNotificationPosition: (tenantId: number, target: string, position: NotificationPosition): Promise<void> =>
      db.write((tx) => upsertRow(tx, notificationPositions, { ...position, tenantId, target })),
    /** Of all tenants, by target and tenant. */
    failingNotifications: (): Promise<readonly FailingNotification[]> =>
      db.read((tx) =>
        tx<FailingNotification>(`select t.name as tenant, ${columnList(notificationPositions, 'n')} from notification_positions n
          join tenants t on t.id = n.tenant_id where n.failing_since is not null order by n.target, t.name`),
      ),
    /** At most 500 events after one and up to another, in the order of writing. */
    newsEvents: (tenantId: number, after: number, upTo: number): Promise<readonly NewsEvent[]> =>
      db.read((tx) => tx<NewsEvent>(newsText(tx.dialect.jsonMember('x.data', 'reason')), [tenantId, after, upTo])),
  }
}
