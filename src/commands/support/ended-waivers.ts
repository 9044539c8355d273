import type { Settings, Waiver } from '../../config/settings.ts'
import { anyEntity, isAbout, isValid, lapsesUnder, termsById } from '../../evaluate/waivers/waivers.ts'
import type { FindingView } from '../../model/finding.ts'
import type { Mirror } from '../../store/port.ts'

/**
 * Advice for each waiver that no longer covers the finding: the alert of an expired waiver continues after a second
 * one.
 *
 * @param written the waiver that was just written for the finding.
 */
export async function endedWaivers(
  mirror: Pick<Mirror, 'findings'>,
  { waivers }: Pick<Settings, 'waivers'>,
  { fingerprint, state, tenant, check, entity, waiver: known }: FindingView,
  now: number,
  written?: string,
): Promise<readonly string[]> {
  if (state === 'resolved') return []
  const about = waivers.filter((waiver) => isAbout(waiver, { tenant, check, entityId: entity.id }))
  if (about.length === 0) return []
  const [row] = (await Array.fromAsync(mirror.findings({ fingerprints: [fingerprint] }))).flat()
  const lapses = lapsesUnder(termsById(waivers), row?.lapses ?? [])
  const isLapsed = ({ id }: Waiver) => lapses.some(({ waiver }) => waiver === id)
  const coveredBy = written ?? (state === 'waived' ? known?.id : undefined)
  return about.flatMap((waiver) => {
    if (!isValid(waiver, now)) return [`${waiver.id} has expired; ${removal}, or its alert keeps firing`]
    if (!isLapsed(waiver)) return []
    if (coveredBy !== undefined)
      return waiver.entity === anyEntity
        ? []
        : [`${coveredBy} replaces ${waiver.id}, which has lapsed; remove ${waiver.id} from the configuration`]
    if (waiver.entity !== anyEntity)
      return [`${waiver.id} has lapsed for this finding; ${removal}, or ${renewal} to cover the finding again`]
    return [`${waiver.id} has lapsed for this finding and may cover others; to let it cover this one again, ${renewal}`]
  })
}

const removal = 'remove it from the configuration'
const renewal = 'renew it with another reason or expires'
