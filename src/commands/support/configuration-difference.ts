import { checksOf } from '../../checks/index.ts'
import type { Settings } from '../../config/settings.ts'
import { configurationRecord } from '../../evaluate/configuration-record.ts'
import type { Io } from '../../model/process/io.ts'
import { version } from '../../model/process/version.ts'
import { note } from './io.ts'

/** Notes when the configuration file differs from the one with this digest, of the last evaluation, and what is shown. */
export async function noteDifference(io: Io, digest: string, settings: Settings, shown: string): Promise<void> {
  const present = await configurationRecord(settings, { checks: checksOf(settings), version, at: 0 })
  if (present.digest !== digest) note(io, `The configuration differs from that of the last evaluation; ${shown}.`)
}
