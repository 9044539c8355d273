import { namesIn } from '../model/entity-names.ts'
import type { FindingView } from '../model/finding.ts'
import { withoutDetails } from '../model/text/redact-finding.ts'
import type { FindingQuery, WebSources } from './web-options.ts'

export interface ShownQuery extends FindingQuery {
  readonly text?: string | undefined
}

/** Findings as they may be shown; searches the text in the shown form, in any letter case. */
export async function* shownFindings(
  findings: WebSources['findings'],
  { text: searched = '', ...query }: ShownQuery,
  exposeDetails: boolean,
): AsyncGenerator<readonly FindingView[]> {
  const wanted = searched.toLowerCase()
  for await (const batch of findings({ ...query, withPersonal: exposeDetails })) {
    const shown = exposeDetails ? batch : batch.map(withoutDetails)
    yield wanted === '' ? shown : shown.filter((finding) => hasText(finding, wanted))
  }
}

/** The first findings; reads no more batches than it needs. */
export async function firstFindings(
  count: number,
  ...[findings, query, exposeDetails]: Parameters<typeof shownFindings>
): Promise<readonly FindingView[]> {
  const found: FindingView[] = []
  for await (const batch of shownFindings(findings, query, exposeDetails)) {
    found.push(...batch.slice(0, count - found.length))
    if (found.length === count) break
  }
  return found
}

/** Searches the texts of the page's row and the beginning of the fingerprint. */
function hasText({ message, entity, check, fingerprint }: FindingView, wanted: string): boolean {
  const shown = [message, entity.id, entity.type, check, ...namesIn(entity)]
  return fingerprint.startsWith(wanted) || shown.some((one) => one.toLowerCase().includes(wanted))
}
