import { checksOf } from '../checks/index.ts'
import type { Settings } from '../config/settings.ts'
import { configurationRecord } from '../evaluate/configuration-record.ts'
import { version } from '../model/process/version.ts'

/** Equal for two replicas that evaluate the same, even if their addresses and credentials differ. */
export async function configurationDigest(settings: Settings): Promise<string> {
  const { digest } = await configurationRecord(settings, { checks: checksOf(settings), version, at: 0 })
  return digest
}
