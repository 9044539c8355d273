import { resolve } from 'node:path'
import { formatListen } from '../config/listen.ts'
import type { OwnChecksSettings } from '../config/own-checks/own-check.ts'
import type { Settings } from '../config/settings.ts'
import { readWebSettings } from '../config/web/load-web-settings.ts'
import { isProtected } from '../config/web/web-settings.ts'
import { exposesDetails, isLoopback } from '../web/loopback.ts'
import { type Diagnosis, failure, fine, warning } from './diagnosis.ts'
import { tryOwnChecks } from './own-check-problems.ts'
import { tenantWarnings } from './tenant-warnings.ts'

const subject = 'own checks'

/** Own checks: one whose query fails stays `unknown`. */
export async function diagnoseOwnChecks(settings: OwnChecksSettings, now: number): Promise<readonly Diagnosis[]> {
  const tried = await tryOwnChecks(settings, now)
  if (tried.length === 0) return []
  const advice = 'Fix the file; "tenantwatch config check" tries it again'
  const bad = tried.flatMap(({ check, problem }) =>
    problem === null ? [] : [failure(subject, `${check.file}: ${problem}`, advice)],
  )
  return bad.length > 0 ? bad : [fine(subject, `${tried.length} run without errors`)]
}

const shortHistoryDays = 30

/**
 * Warnings about valid settings that may not be intended, apart from those of each tenant.
 *
 * @param twins warnings about tenants with the same URL and token.
 */
export function configWarnings(settings: Settings, cwd: string, twins: readonly Diagnosis[]): readonly Diagnosis[] {
  const found = [...openAddress(settings, cwd), ...ofHistory(settings), ...ofLog(settings), ...twins]
  const isClean =
    found.length === 0 && settings.tenants.every((tenant) => tenantWarnings(tenant, settings).length === 0)
  return isClean ? [fine('configuration', 'no warnings')] : found
}

/** Warnings about unauthenticated access on a non-loopback address. */
export function openAddress({ server }: Settings, cwd: string): readonly Diagnosis[] {
  const { host, webConfig, exposeDetails } = server
  if (isLoopback(host)) return []
  const reading = webConfig === null ? null : readWebSettings(resolve(cwd, webConfig), cwd)
  if (reading !== null && reading.problems.length > 0) {
    const advice = 'Run the doctor as the user of the daemon, or see "tenantwatch config check"'
    return [warning('webConfig', `cannot be checked: ${reading.problems[0]}`, advice)]
  }
  if (reading !== null && isProtected(reading.settings)) return []
  const open = warning(
    'listen',
    `status page and metrics are open to everybody who can reach ${formatListen(server)}: no users are configured`,
    'Set server.webConfig with users, or server.listen to a loopback address',
  )
  if (!exposesDetails(exposeDetails, host, false)) return [open]
  const advice = 'Set server.exposeDetails to auto, or server.webConfig with users'
  return [open, warning('exposeDetails', `names and e-mails are shown to everybody who can reach ${host}`, advice)]
}

function ofHistory({ historyRetentionDays: days }: Settings): readonly Diagnosis[] {
  if (days >= shortHistoryDays) return []
  const advice = 'Audits usually need more: raise history.retentionDays'
  return [warning('retention', `history is kept for ${days} ${days === 1 ? 'day' : 'days'} only`, advice)]
}

function ofLog({ logLevel }: Settings): readonly Diagnosis[] {
  if (logLevel !== 'silent' && logLevel !== 'fatal') return []
  return [warning('log', `level ${logLevel} hides why runs fail`, 'Set log.level to info or warn')]
}
