import { once } from 'node:events'
import type { Io } from '../../model/process/io.ts'

/** Waits for SIGTERM or SIGINT. */
export async function untilStopped({ stop }: Io): Promise<void> {
  if (!stop.aborted) await once(stop, 'abort')
}
