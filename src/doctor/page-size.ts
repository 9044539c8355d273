import { type PageSize, pageSizeOf } from '../api/endpoints.ts'
import type { ApiSettings } from '../config/settings.ts'
import type { FeedResource } from '../model/resource.ts'
import { type Diagnosis, fine, warning } from './diagnosis.ts'

/** The first page of a feed that supports a page size. */
export interface FeedPage {
  readonly resource: FeedResource
  readonly length: number
  readonly hasMore: boolean
  /** The page size stated in the answer. */
  readonly limit: number | null
}

const subject = 'page size'

/** Whether the tenant honours the page-size parameter; null without a page. */
export function diagnosePageSize(pages: readonly FeedPage[], api: ApiSettings): Diagnosis | null {
  if (pages.length === 0) return null
  if (pages.every(({ resource }) => pageSizeOf(resource, api) === null)) {
    const seen = pages.map(
      ({ resource, length, hasMore }) => `${resource.name} ${length}${hasMore ? '' : ' (all of them)'}`,
    )
    return fine(subject, `none requested (api.pageSizeParameter is not set); first pages: ${seen.join(', ')}`)
  }
  const results = pages.map((page) => honours(page, pageSizeOf(page.resource, api)))
  const wrong = results.filter(({ parameter }) => parameter !== null)
  const sentence = (wrong.length > 0 ? wrong : results).map(({ text }) => text).join('; ')
  if (wrong.length === 0) return fine(subject, sentence)
  const names = [...new Set(wrong.map(({ parameter }) => `"${parameter}"`))].join(' and ')
  return warning(
    subject,
    sentence,
    `Check api.pageSizeParameter (${names}) and api.pageSize: the API may use another name or a lower limit`,
  )
}

interface Honouring {
  /** The parameter that the tenant ignores; null when it honours it, or when none is sent. */
  readonly parameter: string | null
  readonly text: string
}

function honours({ resource, length, hasMore, limit }: FeedPage, requested: PageSize | null): Honouring {
  if (requested === null) return { parameter: null, text: `${resource.name} sent ${length}, none was requested` }
  const { parameter, size } = requested
  const wrong = (text: string) => ({ parameter, text: `${resource.name} ${text}` })
  if (length > size) return wrong(`sent ${length} although ${size} were requested`)
  if (limit !== null && limit !== size) return wrong(`sent pages of ${limit} although ${size} were requested`)
  if (length === size) return { parameter: null, text: `${resource.name} sent the ${size} requested` }
  if (hasMore) return wrong(`sent ${length} and has more, although ${size} were requested`)
  return { parameter: null, text: `${resource.name} has fewer (${length}) than a page of ${size}` }
}
