import type { Settings } from '../../config/settings.ts'
import { configurationDigest } from '../../daemon/configuration-digest.ts'
import type { Io } from '../../model/process/io.ts'
import { note } from './io.ts'

/** Notes if the configuration file differs from that of the last evaluation (`digest`), and which one is shown. */
export async function noteDifference(io: Io, digest: string, settings: Settings, shown: string): Promise<void> {
  if ((await configurationDigest(settings)) !== digest)
    note(io, `The configuration differs from that of the last evaluation; ${shown}.`)
}
