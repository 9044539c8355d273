import { type PageSize, pageSizeOf } from '../api/query.ts'
import type { ApiSettings } from '../config/settings.ts'
import type { FeedResource } from '../model/resource.ts'
import { type Diagnosis, fine, warning } from './diagnosis.ts'

/** The first page of a feed that takes a page size. */
export interface FeedPage {
  readonly resource: FeedResource
  readonly length: number
  readonly hasMore: boolean
  /** The page size that the answer names. */
  readonly limit: number | null
}

const subject = 'page size'

/** Whether the tenant does with the page-size parameter what was asked; null without a page. */
export function diagnosePageSize(pages: readonly FeedPage[], api: ApiSettings): Diagnosis | null {
  if (pages.length === 0) return null
  if (pages.every(({ resource }) => pageSizeOf(resource, api) === null)) {
    const seen = pages.map(
      ({ resource, length, hasMore }) => `${resource.name} ${length}${hasMore ? '' : ' (all of them)'}`,
    )
    return fine(subject, `none is asked for (api.pageSizeParameter); first pages: ${seen.join(', ')}`)
  }
  const said = pages.map((page) => honours(page, pageSizeOf(page.resource, api)))
  const wrong = said.filter(({ parameter }) => parameter !== null)
  const sentence = (wrong.length > 0 ? wrong : said).map(({ text }) => text).join('; ')
  if (wrong.length === 0) return fine(subject, sentence)
  const names = [...new Set(wrong.map(({ parameter }) => `"${parameter}"`))].join(' and ')
  return warning(
    subject,
    sentence,
    `Check api.pageSizeParameter (${names}) and api.pageSize: the API may call it otherwise, or allow less`,
  )
}

interface Honouring {
  /** The parameter that the tenant does not honour; null where it does, or none is sent. */
  readonly parameter: string | null
  readonly text: string
}

function honours({ resource, length, hasMore, limit }: FeedPage, asked: PageSize | null): Honouring {
  if (asked === null) return { parameter: null, text: `${resource.name} sent ${length}, none was asked for` }
  const { parameter, size } = asked
  const wrong = (text: string) => ({ parameter, text: `${resource.name} ${text}` })
  if (length > size) return wrong(`sent ${length} although ${size} were asked for`)
  if (limit !== null && limit !== size) return wrong(`sent pages of ${limit} although ${size} were asked for`)
  if (length === size) return { parameter: null, text: `${resource.name} sent the ${size} asked for` }
  if (hasMore) return wrong(`sent ${length} and has more, although ${size} were asked for`)
  return { parameter: null, text: `${resource.name} has fewer (${length}) than a page of ${size}` }
}
