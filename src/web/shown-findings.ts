import { namesIn } from '../model/entity-names.ts'
import type { FindingView } from '../model/finding.ts'
import { withoutDetails } from '../resources/redact-finding.ts'
import type { FindingQuery, WebSources } from './web-options.ts'

export interface ShownQuery extends FindingQuery {
  readonly text?: string | undefined
}

/** Findings as they may be shown; searches the text in the shown form, in any letter case. */
export async function* shownFindings(
  findings: WebSources['findings'],
  { text: searched = '', ...query }: ShownQuery,
  exposeDetails: boolean,
): AsyncGenerator<FindingView> {
  const wanted = searched.toLowerCase()
  for await (const finding of findings({ ...query, withPersonal: exposeDetails })) {
    const shown = exposeDetails ? finding : withoutDetails(finding)
    if (wanted === '' || hasText(shown, wanted)) yield shown
  }
}

/** The first findings; reads no more than it needs. */
export async function firstFindings(
  count: number,
  ...[findings, query, exposeDetails]: Parameters<typeof shownFindings>
): Promise<readonly FindingView[]> {
  const found: FindingView[] = []
  for await (const finding of shownFindings(findings, query, exposeDetails)) if (found.push(finding) === count) break
  return found
}

/** Searches the texts of the page's row and the beginning of the fingerprint. */
function hasText({ message, entity, check, fingerprint }: FindingView, wanted: string): boolean {
  const shown = [message, entity.id, entity.type, check, ...namesIn(entity)]
  return fingerprint.startsWith(wanted) || shown.some((one) => one.toLowerCase().includes(wanted))
}
