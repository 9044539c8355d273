import { checksOf } from '../checks/index.ts'
import type { Settings } from '../config/settings.ts'
import { configurationRecord } from '../evaluate/configuration-record.ts'
import { version } from '../model/process/version.ts'

/** Equal where two replicas evaluate the same, whatever their addresses and credentials. */
export async function configurationDigest(settings: Settings): Promise<string> {
  const { digest } = await configurationRecord(settings, { checks: checksOf(settings), version, at: 0 })
  return digest
}
