import { hourMs, minuteMs } from '../../src/model/time.ts'
import { inThePast, type LifeParts } from './life.ts'
import { meetsRequirement } from './machine-settings.ts'
import { doOne } from './prng.ts'
import type { DocumentTruth } from './world.ts'

/** One thing that happens to documents. */
export function changeDocuments(parts: LifeParts): void {
  const { world, prng, maker, readings, rough } = parts
  const documents = world.documents.live()
  if (documents.length < 3) {
    upload(parts)
    return
  }
  const document = prng.pick(documents)
  const comes = parts.mayCome('documents')
  const canConfirm = readings.updatedAfterNulls || document.updatedAt !== null
  const isSpare = rough || (canConfirm && documents.some((one) => one !== document && meetsRequirement(one)))
  doOne(prng, [
    [comes ? 30 : 0, () => upload(parts)],
    [comes ? 6 : 0, () => world.putDocument(maker.document(world, inThePast(parts)))],
    [isSpare ? 14 : 0, () => parts.mayGo('documents') && world.remove('documents', document.fileId)],
    [20, () => world.putDocument({ ...document, updatedAt: world.time.now })],
    [10, () => rename(parts, document, prng.pick(documents).filename)],
    [15, () => stall(parts, document)],
    [rough ? 5 : 0, () => removeMany(parts, documents)],
  ])
}

function removeMany({ world, prng }: LifeParts, documents: readonly DocumentTruth[]): void {
  for (const { fileId } of documents.slice(0, prng.between(6, 9))) world.remove('documents', fileId)
}

/** A status change; whether it is a modification is a reading. */
function withStatus({ world, readings }: LifeParts, document: DocumentTruth, uploadStatus: string | null) {
  const { now } = world.time
  const touched = readings.statusTouches ? { updatedAt: now } : {}
  const isAsBefore = (uploadStatus === 'Completed') === (document.uploadStatus === 'Completed')
  return { ...document, ...touched, uploadStatus, statusSince: isAsBefore ? document.statusSince : now }
}

function upload(parts: LifeParts): void {
  const { world, maker, prng, time, after } = parts
  const document: DocumentTruth = { ...maker.document(world, time.now), uploadStatus: 'Processing', updatedAt: null }
  world.putDocument(document)
  const takes = prng.chance(0.7) ? prng.between(1, 10) * minuteMs : prng.between(1, 4) * hourMs
  after(takes, () => {
    const now = world.documents.get(document.fileId)
    if (now?.uploadStatus === 'Processing') world.putDocument(withStatus(parts, now, 'Completed'))
  })
}

function stall(parts: LifeParts, document: DocumentTruth): void {
  const { world, prng, after, later } = parts
  const statuses = ['Processing', null, 'Rejected'] as const
  world.putDocument(withStatus(parts, document, prng.pick(statuses)))
  // One status that is not done may follow another.
  after(prng.between(1, 30) * hourMs, () => {
    const now = world.documents.get(document.fileId)
    if (now !== null && now.uploadStatus !== 'Completed') world.putDocument(withStatus(parts, now, prng.pick(statuses)))
  })
  later(() => {
    const now = world.documents.get(document.fileId)
    if (now !== null) world.putDocument(withStatus(parts, now, 'Completed'))
  })
}

function rename({ world, later }: LifeParts, document: DocumentTruth, filename: string): void {
  world.putDocument({ ...document, filename })
  later(() => {
    const now = world.documents.get(document.fileId)
    if (now !== null) world.putDocument({ ...now, filename: document.filename })
  })
}
