import type { Log } from '../model/log.ts'
import { tally } from '../model/posture-state.ts'
import type { Session } from './session.ts'

/** Logs that the runs due at the start have ended; until then the page may be incomplete. */
export async function logFirstRound(
  { views }: Pick<Session, 'views'>,
  { page, log, signal }: { readonly page: string; readonly log: Log; readonly signal: AbortSignal },
): Promise<void> {
  try {
    const postures = await views.posture()
    if (signal.aborted) return
    const read = postures.flatMap(({ resources }) =>
      resources.filter(({ enabled, dataAsOf }) => enabled && dataAsOf !== null),
    )
    const openFindings = postures.reduce((sum, posture) => sum + tally(posture).openTotal, 0)
    log.info({ tenants: postures.length, resources: read.length, openFindings, page }, 'First round of syncs has ended')
  } catch (error) {
    // The daemon may be stopping.
    log.debug({ detail: String(error) }, 'The first round of syncs cannot be summarized')
  }
}
