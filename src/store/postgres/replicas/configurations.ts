import type { Clock } from '../../../model/clock.ts'
import { minuteMs } from '../../../model/durations.ts'
import type { Log } from '../../../model/log.ts'
import { replicaName } from '../../../model/text/replica-name.ts'

/** Names of replicas, grouped by configuration. */
export type Configurations = readonly (readonly string[])[]

export interface Configured {
  readonly id: string
  /** Digest; empty = unknown. */
  readonly configuration: string
}

export function configurationsOf(replicas: readonly Configured[]): Configurations {
  const known = replicas.filter(({ configuration }) => configuration !== '')
  const groups = Map.groupBy(known, ({ configuration }) => configuration)
  return [...groups.values()].map((same) => same.map(({ id }) => replicaName(id)))
}

/** A reload or update of all replicas takes less. The alert waits as long. */
const reloadMs = 15 * minuteMs

/** Logs once if living replicas have different configurations for longer than a reload takes, and once at its end. */
export function differenceLog(log: Log, clock: Pick<Clock, 'monotonic'>): (configurations: Configurations) => void {
  let since: number | null = null
  let isLogged = false
  return (configurations) => {
    if (configurations.length > 1) {
      since ??= clock.monotonic()
      if (isLogged || clock.monotonic() - since < reloadMs) return
      log.warn({ configurations }, 'Living replicas have different configurations or versions')
      isLogged = true
      return
    }
    if (isLogged) log.info({}, 'All living replicas have the same configuration again')
    since = null
    isLogged = false
  }
}
