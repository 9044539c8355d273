import type { Key, LazyBase } from '../ordered-store.ts'
import { guidWithHead, mix, pick } from '../random.ts'
import type { Readings } from '../readings.ts'
import { DAY, HOUR, MINUTE } from '../timestamps.ts'
import type { DocumentTruth } from '../truth.ts'
import { documentEndings, documentTitles, documentUnits } from './names.ts'

/** The newest documents of a tenant with problems, the oldest first. */
const tailCases = [
  { age: 5 * DAY, uploadStatus: 'Quarantined' },
  { age: 4 * DAY, uploadStatus: null },
  { age: 3 * DAY, uploadStatus: 'Processing' },
  { age: HOUR, uploadStatus: 'Processing' },
] as const

export interface DocumentSeed {
  readonly seed: number
  readonly count: number
  /** Reference time of ages, epoch milliseconds. */
  readonly now: number
  readonly problems: boolean
  readonly order: Readings['documentOrder']
}

export function documentKey(record: DocumentTruth, order: Readings['documentOrder']): Key {
  switch (order) {
    case 'updatedAt':
      return { sort: record.updatedAt ?? record.createdAt, id: record.fileId }
    case 'createdAt':
      return { sort: record.createdAt, id: record.fileId }
    case 'fileId':
      return { sort: 0, id: record.fileId }
    default:
      return order satisfies never
  }
}

/** File ids that encode the index in their first digits: scrambled, or ascending if the feed is ordered by id. */
function idCodec(seed: number, count: number, rising: boolean) {
  const width = Math.floor(0x1_0000_0000 / Math.max(1, count))
  const odd = 0x9e3779b1
  // Newton's iteration doubles the correct bits of the inverse modulo 2^32 with each step.
  let inverse = odd
  for (let step = 0; step < 4; step++) inverse = Math.imul(inverse, 2 - Math.imul(odd, inverse))
  return {
    head: (i: number) => (rising ? i * width + (mix(seed, i) % width) : (Math.imul(i, odd) ^ seed) >>> 0),
    index: (head: number) => (rising ? Math.floor(head / width) : Math.imul(head ^ seed, inverse) >>> 0),
  }
}

/** The initial documents of a tenant in feed order, each computed from its index. */
export function seedDocuments({ seed, count, now, problems, order }: DocumentSeed): LazyBase<DocumentTruth> {
  const tail = problems ? Math.min(tailCases.length, count) : 0
  const body = count - tail
  const span = problems ? 3 * 365 * DAY : 200 * DAY
  const spacing = (span - 6 * DAY) / Math.max(1, body)
  const ids = idCodec(seed, count, order === 'fileId')
  const fileIdAt = (index: number) => guidWithHead(ids.head(index), seed)

  function timeAt(index: number): number {
    if (index >= body) return now - (tailCases[index - body + tailCases.length - tail]?.age ?? 0)
    const jitter = mix(seed ^ 0x3c6e, index) / 0x1_0000_0000
    return Math.floor(now - span + (index + jitter) * spacing)
  }

  function filenameAt(index: number): string {
    // Some file names occur twice.
    const named = problems && index % 23 === 11 ? index - 1 : index
    const hash = mix(seed ^ 0x77aa, named)
    const unit = pick(documentUnits, hash >>> 5)
    return `${pick(documentTitles, hash)} ${unit} ${named + 1}${pick(documentEndings, hash >>> 11)}`
  }

  function timesAt(index: number, hash: number): Pick<DocumentTruth, 'createdAt' | 'updatedAt'> {
    const time = timeAt(index)
    if (index >= body || hash % 3 === 0) return { createdAt: time, updatedAt: null }
    const delay = hash % 3 === 1 ? 5 * MINUTE + (hash % 999) : HOUR + (hash % (30 * DAY))
    if (order === 'updatedAt') return { createdAt: time - delay, updatedAt: time }
    return { createdAt: time, updatedAt: Math.min(now - HOUR, time + delay) }
  }

  function recordAt(index: number): DocumentTruth {
    const hash = mix(seed ^ 0x1b87, index)
    const uploadStatus =
      index >= body ? (tailCases[index - body + tailCases.length - tail]?.uploadStatus ?? null) : 'Completed'
    return {
      fileId: fileIdAt(index),
      filename: filenameAt(index),
      uploadStatus,
      ...timesAt(index, hash),
      raw: {},
    }
  }

  return {
    size: count,
    keyAt: (index) =>
      order === 'fileId' ? { sort: 0, id: fileIdAt(index) } : { sort: timeAt(index), id: fileIdAt(index) },
    recordAt,
    indexOf(id) {
      const head = typeof id === 'string' ? Number.parseInt(id.slice(0, 8), 16) : Number.NaN
      const index = Number.isNaN(head) ? -1 : ids.index(head)
      return index >= 0 && index < count && fileIdAt(index) === id ? index : -1
    },
  }
}
