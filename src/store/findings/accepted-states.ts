import { isDeepStrictEqual } from 'node:util'
import type { Database } from '../database.ts'
import type { Sql } from '../db/db.ts'
import { eventAppender } from '../event-store.ts'
import { type DriftFacts, driftedEntity, driftSubject } from '../history/decision-log.ts'
import type { AcceptedState, WaiverStore } from '../port.ts'
import { fromJson } from '../words.ts'

type Part = Pick<WaiverStore, 'acceptedStates' | 'keepFirstStates' | 'acceptStates' | 'acceptedVersion'>

interface StoredStates {
  readonly id: number
  readonly at: number
  readonly data: string
}

interface FirstStates {
  readonly states: readonly Pick<AcceptedState, 'entityId' | 'state'>[]
}

/** The states from which drift is measured: the first ones, and those that an operator accepted since. */
export function acceptedStateStore(database: Database): Part {
  const append = eventAppender(database)
  const first = database.prepare<[number, string], StoredStates>(
    `select id, at, data from events where tenant_id = ? and kind = 'drift.first' and subject = ?`,
  )
  const accepted = database.prepare<[number, string, string], StoredStates & { readonly subject: string }>(
    `select id, subject, at, data from events where tenant_id = ? and kind = 'drift.accepted' and subject between ? and ?
     order by +id`,
  )
  const lastOf = database.prepareValues<[number, string], string>(
    `select data from events where tenant_id = ? and kind = 'drift.accepted' and subject = ? order by id desc limit 1`,
  )
  const acceptedOf = (tx: Sql, tenantId: number, check: string) =>
    accepted.all(tx, tenantId, driftSubject(check, ''), driftSubject(check, '\u{10ffff}'))

  return {
    acceptedStates: (tenantId, check) =>
      database.read(async (tx) => {
        const start = await first.get(tx, tenantId, check)
        const later = await acceptedOf(tx, tenantId, check)
        if (start === undefined && later.length === 0) return null
        const states = new Map<string, AcceptedState>()
        if (start !== undefined) {
          for (const one of (fromJson(start.data) as FirstStates).states)
            states.set(one.entityId, { ...one, at: start.at, reason: null })
        }
        for (const { subject, at, data } of later) {
          const { entityId } = driftedEntity(subject)
          states.delete(entityId)
          states.set(entityId, { entityId, at, ...(fromJson(data) as DriftFacts) })
        }
        return [...states.values()]
      }),
    keepFirstStates: (tenantId, check, states, at) =>
      database.write('nothing', async (tx) => {
        if ((await first.get(tx, tenantId, check)) !== undefined) return
        const data: FirstStates = { states: states.map(({ entityId, state }) => ({ entityId, state })) }
        await append(tx, tenantId, [{ kind: 'drift.first', subject: check, at, data }])
      }),
    acceptStates: (states) =>
      database.write('nothing', async (tx) => {
        for (const { tenantId, check, entityId, state } of states) {
          const last = await lastOf.get(tx, tenantId, driftSubject(check, entityId))
          if (last !== undefined && isDeepStrictEqual((fromJson(last) as DriftFacts).state, state)) return false
        }
        const byTenant = Map.groupBy(states, ({ tenantId }) => tenantId)
        // In one order, so that no two transactions wait for each other.
        for (const [tenantId, group] of [...byTenant].sort(([a], [b]) => a - b)) {
          const events = group.map(({ check, entityId, state, at, reason }) => {
            return {
              kind: 'drift.accepted' as const,
              subject: driftSubject(check, entityId),
              at,
              data: { state, reason },
            }
          })
          await append(tx, tenantId, events)
        }
        return true
      }),
    acceptedVersion: (tenantId, check) =>
      database.read(async (tx) => {
        const last = (await acceptedOf(tx, tenantId, check)).at(-1) ?? (await first.get(tx, tenantId, check))
        return last?.id ?? 0
      }),
  }
}
