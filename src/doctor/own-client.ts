import type { Fetched } from '../api/reader.ts'
import { dayOf, isoMs } from '../model/dates.ts'
import { dayMs, describeDuration } from '../model/durations.ts'
import { reasonOf, SyncError } from '../model/errors.ts'
import { ownClientRemedy } from '../model/hold-remedy.ts'
import { lowerFirst } from '../model/text/lower-first.ts'
import { plural } from '../model/text/numbers.ts'
import { apiClients } from '../resources/api-clients.ts'
import { ownClientUnlisted } from '../sync/identity-proof.ts'
import { cursorIgnored, idTextOf, idTextsOn } from '../sync/pages/page-rules.ts'
import { type Diagnosis, failure, fine, problemOf, warning } from './diagnosis.ts'

const subject = 'own client'
const secretSoonMs = 30 * dayMs
const mostPages = 50

export interface OwnClientRequest {
  readonly firstPage: Fetched
  readonly read: (cursor: string) => Promise<Fetched>
  readonly ownClientId: string
  /** In milliseconds since the epoch. */
  readonly now: number
}

/** Reads the API clients up to the page with `ownClientId`. Null if the only page lacks it, which is reported. */
export async function diagnoseOwnClient({ firstPage, ...request }: OwnClientRequest): Promise<Diagnosis | null> {
  const { read, ownClientId, now } = request
  const seen = new Set<string>()
  try {
    for (let [page, pages] = [firstPage, 1]; ; pages++) {
      const own = page.items.find((item) => idTextOf(item, apiClients.idField) === ownClientId)
      if (own !== undefined) return own.ok ? diagnoseSecret(own.record, now) : null
      if (!page.hasMore) {
        const message = lowerFirst(ownClientUnlisted({ ownClientId }))
        return pages === 1 ? null : failure(subject, message, ownClientRemedy, { reason: 'tenant_changed' })
      }
      const ids = idTextsOn(page, apiClients)
      if (ids.length > 0 && ids.every((id) => seen.has(id))) throw cursorIgnored(apiClients)
      for (const id of ids) seen.add(id)
      if (pages === mostPages) {
        const sentence = `${ownClientId} is not on the first ${plural(pages, 'page')} of API clients`
        return warning(subject, sentence, 'Check ownClientId: a sync reads the whole list')
      }
      if (page.nextCursor === null) throw new SyncError('protocol', 'a page has no cursor although more pages follow')
      page = await read(page.nextCursor)
    }
  } catch (error) {
    const reason = reasonOf(error)
    const isLate = reason === 'aborted'
    const { message, hint } = problemOf(error)
    const problem = isLate ? 'the tenant answers too slowly' : message
    return failure(subject, `cannot be checked: ${problem}`, hint, { reason: isLate ? 'timeout' : reason })
  }
}

function diagnoseSecret(record: object, now: number): Diagnosis | null {
  const expiresAt = isoMs(Reflect.get(record, 'secretExpirationDate'))
  if (expiresAt === null) return null
  const left = expiresAt - now
  const day = dayOf(expiresAt)
  const advice =
    'Create a new secret in the portal and put it where the token comes from: without it every check is unknown'
  if (left <= 0) return failure(subject, `its secret expired on ${day}`, advice)
  const sentence = `its secret expires on ${day}, in ${describeDuration(left)}`
  return left <= secretSoonMs ? warning(subject, sentence, advice) : fine(subject, sentence)
}
