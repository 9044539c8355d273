import { namesIn } from '../model/entity-names.ts'
import type { FindingView } from '../model/finding.ts'
import { hidden, withoutDetails } from '../model/text/redact-finding.ts'
import type { FindingQuery, WebSources } from './web-options.ts'

/** In place of hidden details. */
const placeholders = [hidden, '[e-mail]']

/** Findings as they may be shown; searches the query's text in the shown form, in any letter case. */
export async function* shownFindings(
  findings: WebSources['findings'],
  { text = '', ...query }: FindingQuery,
  exposeDetails: boolean,
): AsyncGenerator<readonly FindingView[]> {
  const wanted = text.toLowerCase()
  // The database searches unredacted texts, which finds a superset unless the text is part of a placeholder or contains
  // one.
  const isSearched =
    text !== '' && (exposeDetails || !placeholders.some((one) => one.includes(wanted) || wanted.includes(one)))
  for await (const batch of findings({ ...query, withPersonal: exposeDetails, ...(isSearched && { text }) })) {
    const shown = exposeDetails ? batch : batch.map(withoutDetails)
    yield text === '' ? shown : shown.filter((finding) => hasText(finding, wanted))
  }
}

/** Searches the texts of the page's row and the beginning of the fingerprint. */
function hasText({ message, entity, check, fingerprint }: FindingView, text: string): boolean {
  const words = [message, entity.id, entity.type, check, ...namesIn(entity)]
  return fingerprint.startsWith(text) || words.some((word) => word.toLowerCase().includes(text))
}
