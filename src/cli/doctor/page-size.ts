import type { ApiSettings } from '../../config/settings.ts'
import { pageSizeOf } from '../../tenant/query.ts'
import { type Diagnosis, fine, warning } from './diagnosis.ts'

/** The first page of a feed that takes a page size. */
export interface FeedPage {
  readonly resource: 'documents' | 'users'
  readonly length: number
  readonly hasMore: boolean
}

const subject = 'page size'
const advice = 'Check api.pageSizeParameter: the API may call it otherwise, or allow less'

/** Whether the tenant does with the page-size parameter what was asked; null without a page. */
export function judgePageSize(pages: readonly FeedPage[], api: ApiSettings): Diagnosis | null {
  if (pages.length === 0) return null
  if (api.pageSizeParameter === null) {
    const seen = pages.map(({ resource, length, hasMore }) => `${resource} ${length}${hasMore ? '' : ' (all of them)'}`)
    return fine(subject, `none is asked for (api.pageSizeParameter); first pages: ${seen.join(', ')}`)
  }
  const said = pages.map((page) => verdictOn(page, pageSizeOf(page.resource, api) ?? page.length))
  const wrong = said.filter(({ honoured }) => !honoured)
  const sentence = (wrong.length > 0 ? wrong : said).map(({ text }) => text).join('; ')
  return wrong.length > 0 ? warning(subject, sentence, advice) : fine(subject, sentence)
}

function verdictOn({ resource, length, hasMore }: FeedPage, asked: number): { honoured: boolean; text: string } {
  if (length > asked) return { honoured: false, text: `${resource} sent ${length} although ${asked} were asked for` }
  if (length === asked) return { honoured: true, text: `${resource} sent the ${asked} asked for` }
  if (hasMore)
    return { honoured: false, text: `${resource} sent ${length} and has more, although ${asked} were asked for` }
  return { honoured: true, text: `${resource} has fewer (${length}) than a page of ${asked}` }
}
