import { inParts } from '../../model/in-turns.ts'
import type { Db, Sql } from '../db/db.ts'
import { type AsOf, appendEvents, eventReader, lastEvent, type NewEvent } from '../event-store.ts'
import {
  listOfKinds,
  termsKinds,
  type WaiverLapseFacts,
  type WaiverTermsFacts,
  waiverKinds,
  type waiverMoves,
} from '../events.ts'
import { fromJson, insertRows, type RowOf, selectRows } from '../rows.ts'
import { waivedFindings } from '../schema/index.ts'

/** A waiver in the history. Times are milliseconds since the epoch. */
export interface NotedWaiver extends WaiverTermsFacts {
  readonly id: string
  readonly since: number
}

/** What a waiver accepts of a finding. */
export type Acceptance = Pick<RowOf<typeof waivedFindings>, 'facts' | 'fingerprint' | 'terms' | 'waiver'>

type StoredAcceptance = Acceptance & Pick<RowOf<typeof waivedFindings>, 'lapsedAt'>

export interface WaiverChanges {
  /** Waivers cover these findings from now on. */
  readonly accepted: readonly Acceptance[]
  /** Waivers no longer cover these findings, because these are their facts now. */
  readonly lapsed: readonly Omit<Acceptance, 'terms'>[]
}

/** A waiver no longer covers a finding, because accepted facts changed. */
export interface Lapse extends Pick<Acceptance, 'terms' | 'waiver'> {
  readonly lapsedAt: number
  /** JSON objects of the material facts, as accepted and as changed. */
  readonly accepted: string | null
  readonly changed: string | null
}

/** Decisions of operators about findings. */
export function waiverStore(db: Db) {
  const { dialect } = db
  const events = eventReader(db)
  return {
    /** Waivers stay after their removal from the configuration, so that adding them again does not renew them. */
    async notedWaivers(tenantId: number): Promise<readonly (NotedWaiver & { readonly isWithdrawn: boolean })[]> {
      const last = new Map((await events({ tenantId, kinds: waiverKinds })).map((event) => [event.subject, event]))
      return [...last.values()].map(({ subject: id, at: since, kind, data }) => {
        return { ...(data as WaiverTermsFacts), id, since, isWithdrawn: kind === 'waiver.withdrawn' }
      })
    },
    /** Stores a new or renewed waiver with the findings that it covers; earlier acceptances end. */
    agreeWaiver: (
      tenantId: number,
      { id, since, ...data }: NotedWaiver,
      acceptances: readonly Acceptance[],
    ): Promise<void> =>
      db.write(async (tx) => {
        const before = await lastEvent(tx, tenantId, 'waiver.agreed', { subject: id })
        const kind = before === undefined ? 'waiver.agreed' : 'waiver.renewed'
        await tx('delete from waived_findings where tenant_id = ? and waiver = ?', [tenantId, id])
        await acceptFindings(tx, tenantId, since, acceptances)
        await appendEvents(tx, tenantId, [{ kind, subject: id, at: since, data }])
      }),
    /** Notes that a waiver left the configuration, or came back with the same terms, which renews nothing. */
    moveWaiver: (
      tenantId: number,
      kind: (typeof waiverMoves)[number],
      { id, since: at, ...data }: NotedWaiver,
    ): Promise<void> => db.write((tx) => appendEvents(tx, tenantId, [{ kind, subject: id, at, data }])),
    acceptances: (fingerprints: readonly string[]): Promise<readonly StoredAcceptance[]> =>
      db.read((tx) => {
        return selectRows(tx, waivedFindings, `where ${dialect.isIn('fingerprint')}`, [fingerprints])
      }),
  }
}

const acceptedText = `select w.waiver, f."check", w.terms, f.entity_id as entity, w.facts as accepted
  from waived_findings w join findings f on f.fingerprint = w.fingerprint where w.fingerprint = ? and w.waiver = ?`

/** Stores that waivers no longer cover these findings. Run inside a transaction. */
export async function lapseWaivers(
  sql: Sql,
  tenantId: number,
  at: number,
  lapsed: WaiverChanges['lapsed'],
): Promise<void> {
  const events: NewEvent[] = []
  for (const { fingerprint, waiver, facts: changed } of lapsed) {
    const [facts] = await sql<Omit<WaiverLapseFacts, 'changed'>>(acceptedText, [fingerprint, waiver])
    if (facts !== undefined)
      events.push({ kind: 'waiver.lapsed', subject: fingerprint, at, data: { ...facts, changed } })
    const text = 'update waived_findings set lapsed_at = ? where fingerprint = ? and waiver = ?'
    await sql(text, [at, fingerprint, waiver])
  }
  await appendEvents(sql, tenantId, events)
}

/** Stores which findings waivers cover. Run inside a transaction, after the findings are written. */
export async function acceptFindings(
  sql: Sql,
  tenantId: number,
  at: number,
  accepted: readonly Acceptance[],
): Promise<void> {
  for (const part of inParts(accepted)) {
    const rows = part.map((one) => ({ ...one, tenantId, acceptedAt: Math.round(at) }))
    await insertRows(sql, waivedFindings, rows, 'on conflict do nothing')
  }
}

/** Ends acceptances after another tenant was accepted, where the same ids are different entities. */
export async function endAcceptances(sql: Sql, tenantId: number, at: number): Promise<void> {
  const rows = await sql<Omit<Acceptance, 'terms'>>(
    `select fingerprint, waiver, facts from waived_findings where tenant_id = ? and lapsed_at is null
     order by fingerprint, waiver`,
    [tenantId],
  )
  const ended = rows.map(({ facts, ...row }) => {
    return { ...row, facts: JSON.stringify({ ...(fromJson(facts) as object), tenant: 'accepted as another one' }) }
  })
  await lapseWaivers(sql, tenantId, at, ended)
}

/** The fingerprints of findings that a waiver no longer covered at some time. */
export const lapsedFingerprints = (tenantIds: string, asOf: AsOf) =>
  `select l.subject from events l where l.kind = 'waiver.lapsed' and ${tenantIds} and l.data is not null and ${asOf.events('l')}`

/** Which waivers have lapsed for findings, under the terms in force; by fingerprint. */
export async function readLapses(
  sql: Sql,
  asOf: AsOf,
  findings: readonly { readonly fingerprint: string; readonly tenantId: number }[],
): Promise<ReadonlyMap<string, readonly Lapse[]>> {
  const { isIn, jsonMember } = sql.dialect
  const text = `select e.subject as fingerprint, e.at, e.data from events e where ${isIn('e.tenant_id')} and e.kind = 'waiver.lapsed'
      and ${isIn('e.subject')} and e.data is not null and ${asOf.events('e')}
      and not exists (select 1 from events n where n.tenant_id = e.tenant_id and n.kind in (${listOfKinds(termsKinds)})
        and n.subject = ${jsonMember('e.data', 'waiver')} and n.id > e.id and ${asOf.events('n')})
    order by +e.id`
  const tenantIds = [...new Set(findings.map(({ tenantId }) => tenantId))]
  const fingerprints = findings.map(({ fingerprint }) => fingerprint)
  const rows = await sql<{ readonly fingerprint: string; readonly at: number; readonly data: string }>(text, [
    tenantIds,
    fingerprints,
  ])
  const lapses = new Map<string, Lapse[]>()
  for (const { fingerprint, at, data } of rows) {
    const { waiver, terms, accepted, changed } = fromJson(data) as WaiverLapseFacts
    const lapse = { waiver, terms, lapsedAt: at, accepted, changed }
    lapses.set(fingerprint, [...(lapses.get(fingerprint) ?? []), lapse])
  }
  return lapses
}
