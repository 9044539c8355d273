import { inParts } from '../../model/in-parts.ts'
import type { Database } from '../database.ts'
import type { List, Sql } from '../db/db.ts'
import {
  eventAppender,
  listOfKinds,
  type NewEvent,
  termsKinds,
  type WaiverLapseFacts,
  type WaiverTermsFacts,
} from '../event-store.ts'
import type { AsOf } from '../history/as-of.ts'
import { fromJson } from '../words.ts'

/** A waiver in the history. Times are milliseconds since the epoch. */
export interface NotedWaiver extends WaiverTermsFacts {
  readonly id: string
  readonly since: number
}

export interface WaiverTerms {
  readonly waiver: string
  readonly terms: string
}

/** What a waiver accepts of a finding. */
export interface Acceptance extends WaiverTerms {
  readonly fingerprint: string
  /** JSON object of the material facts, whose change ends the acceptance. */
  readonly facts: string
}

export interface StoredAcceptance extends Acceptance {
  readonly lapsedAt: number | null
}

export interface WaiverChanges {
  /** Waivers cover these findings from now on. */
  readonly accepted: readonly Acceptance[]
  /** Waivers no longer cover these findings, because these are their facts now. */
  readonly lapsed: readonly Omit<Acceptance, 'terms'>[]
}

/** A waiver no longer covers a finding, because accepted facts changed. */
export interface Lapse extends WaiverTerms {
  readonly lapsedAt: number
  /** JSON objects of the material facts, as accepted and as changed. */
  readonly accepted: string | null
  readonly changed: string | null
}

/** Decisions of operators about findings. */
export function waiverStore(database: Database) {
  const { sql } = database
  const append = eventAppender(database)
  const writer = waiverWriter(database)
  const noted = database.prepare<[object], { readonly id: string; readonly since: number; readonly data: string }>(
    `select subject as id, at as since, data from events where data is not null and id in (select max(id) from events
       where tenant_id = @tenantId and kind in (${listOfKinds(termsKinds)}) group by subject) order by subject`,
  )
  const wasAgreed = database.prepare<[number, string]>(
    `select 1 from events where tenant_id = ? and kind = 'waiver.agreed' and subject = ? limit 1`,
  )
  const drop = database.prepare<[number, string]>('delete from waived_findings where tenant_id = ? and waiver = ?')
  const accepted = database.prepare<[List], StoredAcceptance>(
    `select fingerprint, waiver, terms, facts, lapsed_at as "lapsedAt" from waived_findings
     where ${sql.isIn('fingerprint')}`,
  )
  return {
    /** Waivers stay after their removal from the configuration, so that adding them again does not renew them. */
    notedWaivers: (tenantId: number): Promise<readonly NotedWaiver[]> =>
      database.read(async (tx) => {
        const rows = await noted.all(tx, { tenantId })
        return rows.map(({ data, ...row }) => ({ ...(fromJson(data) as WaiverTermsFacts), ...row }))
      }),
    /** Stores a new or renewed waiver with the findings that it covers; earlier acceptances end. */
    agreeWaiver: (
      tenantId: number,
      { id, since, ...data }: NotedWaiver,
      acceptances: readonly Acceptance[],
    ): Promise<void> =>
      database.write('acceptances', async (tx) => {
        const kind = (await wasAgreed.get(tx, tenantId, id)) === undefined ? 'waiver.agreed' : 'waiver.renewed'
        await drop.run(tx, tenantId, id)
        await writer.accept(tx, tenantId, since, acceptances)
        await append(tx, tenantId, [{ kind, subject: id, at: since, data }])
      }),
    acceptances: (fingerprints: readonly string[]): Promise<readonly StoredAcceptance[]> =>
      database.read((tx) => accepted.all(tx, sql.listOf(fingerprints))),
  }
}

const acceptanceColumns = { fingerprint: 'text', waiver: 'text', terms: 'text', facts: 'text' } as const

interface LapsingRow extends Omit<WaiverLapseFacts, 'changed'> {
  readonly fingerprint: string
}

/** Writes which findings waivers cover. Run inside a transaction, after the findings are written. */
export function waiverWriter(database: Database) {
  const append = eventAppender(database)
  const accept = database.prepare<[object]>(
    `insert into waived_findings (fingerprint, waiver, tenant_id, terms, facts, accepted_at)
     select fingerprint, waiver, cast(@tenantId as bigint), terms, facts, cast(@at as bigint)
     from ${database.sql.givenRows(acceptanceColumns)} where true on conflict do nothing`,
  )
  const lapse = database.prepare<[number, string, string]>(
    'update waived_findings set lapsed_at = ? where fingerprint = ? and waiver = ?',
  )
  const lapseAll = database.prepare<[number, number]>(
    'update waived_findings set lapsed_at = ? where tenant_id = ? and lapsed_at is null',
  )
  const lapsing = (condition: string) =>
    `select w.fingerprint, w.waiver, f."check", w.terms, f.entity_id as entity, w.facts as accepted
     from waived_findings w join findings f on f.fingerprint = w.fingerprint where ${condition} order by w.fingerprint, w.waiver`
  const lapsingOne = database.prepare<[string, string], LapsingRow>(lapsing('w.fingerprint = ? and w.waiver = ?'))
  const lapsingAll = database.prepare<[number], LapsingRow>(lapsing('w.tenant_id = ? and w.lapsed_at is null'))

  const eventOf = ({ fingerprint, ...facts }: LapsingRow, at: number, changed: string): NewEvent => {
    const data: WaiverLapseFacts = { ...facts, changed }
    return { kind: 'waiver.lapsed', subject: fingerprint, at, data }
  }

  return {
    async accept(tx: Sql, tenantId: number, at: number, accepted: readonly Acceptance[]): Promise<void> {
      for (const part of inParts(accepted))
        await accept.run(tx, { tenantId, at, ...database.sql.bindRows(acceptanceColumns, part) })
    },
    async lapse(tx: Sql, tenantId: number, at: number, lapsed: WaiverChanges['lapsed']): Promise<void> {
      const events: NewEvent[] = []
      for (const { fingerprint, waiver, facts } of lapsed) {
        for (const row of await lapsingOne.all(tx, fingerprint, waiver)) events.push(eventOf(row, at, facts))
        await lapse.run(tx, at, fingerprint, waiver)
      }
      await append(tx, tenantId, events)
    },
    /** Ends acceptances after another tenant was accepted, where the same ids are different entities. */
    async endAll(tx: Sql, tenantId: number, at: number): Promise<void> {
      const rows = await lapsingAll.all(tx, tenantId)
      const events = rows.map((row) => {
        const accepted = fromJson(row.accepted ?? '{}') as object
        return eventOf(row, at, JSON.stringify({ ...accepted, tenant: 'accepted as another one' }))
      })
      await append(tx, tenantId, events)
      await lapseAll.run(tx, at, tenantId)
    },
  }
}

/** The fingerprints of findings that a waiver no longer covered at some time. */
export const lapsedFingerprints = (tenantIds: string, asOf: AsOf) =>
  `select l.subject from events l where l.kind = 'waiver.lapsed' and ${tenantIds} and l.data is not null and ${asOf.events('l')}`

/** Reads which waivers have lapsed for findings, under the terms in force; by fingerprint. */
export function lapseReader(database: Database, asOf: AsOf) {
  const { sql } = database
  const renewed = `exists (select 1 from events n where n.tenant_id = e.tenant_id and n.kind in (${listOfKinds(termsKinds)})
    and n.subject = ${sql.jsonMember('e.data', 'waiver', 'text')} and n.id > e.id and ${asOf.events('n')})`
  const select = database.prepare<
    [List, List],
    { readonly fingerprint: string; readonly at: number; readonly data: string }
  >(
    `select e.subject as fingerprint, e.at, e.data from events e where ${sql.isIn('e.tenant_id')} and e.kind = 'waiver.lapsed'
       and ${sql.isIn('e.subject')} and e.data is not null and ${asOf.events('e')} and not ${renewed} order by +e.id`,
  )
  return async (
    tx: Sql,
    findings: readonly { readonly fingerprint: string; readonly tenantId: number }[],
  ): Promise<ReadonlyMap<string, readonly Lapse[]>> => {
    const tenantIds = [...new Set(findings.map(({ tenantId }) => tenantId))]
    const rows = await select.all(tx, sql.listOf(tenantIds), sql.listOf(findings.map(({ fingerprint }) => fingerprint)))
    const lapses = rows.map(({ fingerprint, at, data }) => {
      const { waiver, terms, accepted, changed } = fromJson(data) as WaiverLapseFacts
      return { fingerprint, lapse: { waiver, terms, lapsedAt: at, accepted, changed } }
    })
    return new Map(
      [...Map.groupBy(lapses, ({ fingerprint }) => fingerprint)].map(([fingerprint, group]) => [
        fingerprint,
        group.map(({ lapse }) => lapse),
      ]),
    )
  }
}
