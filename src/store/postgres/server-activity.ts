import type { Client } from 'pg'
import { secondMs } from '../../model/durations.ts'

const limitMs = 5 * secondMs

/** States in which the server waits for the client. */
const waiting = ['idle', 'idle in transaction', 'idle in transaction (aborted)']

const states = `select pid, state from pg_stat_activity where usename = current_user and datname = current_database()`

export interface ServerActivity {
  /**
   * True if the server works for the connection with this process id, false if it waits for a statement or has closed
   * the connection. Null = unknown, as with a pooler, which has its own process ids.
   *
   * @param beside process ids of other connections of this process.
   */
  worksFor(pid: number, beside: readonly number[]): Promise<boolean | null>
}

/** Uses a separate connection, and one query for concurrent calls. */
export function serverActivity(newClient: () => Client): ServerActivity {
  let asking: Promise<ReadonlyMap<number, string> | null> | null = null
  const ask = async () => {
    const client = newClient()
    client.on('error', () => {})
    try {
      await client.connect()
      const { rows } = await client.query<{ pid: number; state: string }>(states)
      return new Map(rows.map(({ pid, state }) => [pid, state]))
    } catch {
      return null
    } finally {
      void client.end().catch(() => {})
    }
  }
  return {
    async worksFor(pid, beside) {
      asking ??= ask().finally(() => {
        asking = null
      })
      const known = await asking
      const state = known?.get(pid)
      if (state !== undefined) return !waiting.includes(state)
      return beside.some((other) => known?.has(other)) ? false : null
    },
  }
}

/** Limits of that connection, in milliseconds. */
export const activityLimits = { connectionTimeoutMillis: limitMs, query_timeout: limitMs }
