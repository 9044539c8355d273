import { z } from 'zod'
import { defineCheck } from '../evaluate/check.ts'
import type { MirrorRecord, RecordReader } from '../mirror/query.ts'
import { dayMs } from '../model/durations.ts'
import { comparableName, globMatcher } from './support/glob.ts'
import { isOlderThan } from './support/older-than.ts'
import { factsOf, textOf, timeOf } from './support/records.ts'
import { type Requirement, requirements } from './support/requirements.ts'
import { counted, onDate, quoted } from './support/words.ts'

export const documentRequiredPresent = defineCheck({
  id: 'document-required-present',
  title: 'Every required document is present and current',
  description:
    'Each of the configured `requirements` is met by a Completed document with a matching name that is not too old.',
  risk: 'A document that a framework demands is missing when the auditor asks for it.',
  remediation: "Upload the document under a name that the requirement's pattern matches.",
  severities: ['high'],
  judges: 'documents',
  needs: [],
  entity: { type: 'document-requirement', isRecord: false },
  timeBased: true,
  options: z.strictObject({ requirements }),
  async load(reader, options, now) {
    const population = options.requirements.length
    if (population === 0) return { population, candidates: [], applicable: false }
    return { population, candidates: [await nearestMatches(reader, options.requirements, now)] }
  },
  evaluate({ requirement, nearest }, _options, now) {
    if (isMetBy(requirement, nearest, now)) return null
    const limit = requirement.maxAgeDays
    const matching = `a name like ${quoted(requirement.pattern)}`
    const message =
      nearest === undefined || limit === null
        ? `Requirement ${requirement.id} is not met: no Completed document has ${matching}.`
        : `Requirement ${requirement.id} is not met: the newest Completed document with ${matching} was last updated on ${onDate(touchedAt(nearest))}, more than ${counted(limit, 'day')} ago.`
    return {
      entityId: requirement.id,
      severity: 'high',
      message,
      evidence: {
        requirement,
        nearest:
          nearest === undefined
            ? null
            : factsOf(nearest, ['fileId', 'filename', 'uploadStatus', 'createdAt', 'updatedAt']),
      },
    }
  },
})

interface Match {
  readonly requirement: Requirement
  /** The newest Completed document whose name matches. */
  readonly nearest: MirrorRecord | undefined
}

const touchedAt = (document: MirrorRecord) => timeOf(document, 'touchedAtMs')

function isMetBy({ maxAgeDays }: Requirement, document: MirrorRecord | undefined, now: number): boolean {
  if (document === undefined) return false
  return maxAgeDays === null || !isOlderThan(touchedAt(document), maxAgeDays * dayMs, now)
}

/** Looks for the newest match of each requirement, no further than until all are met. */
async function nearestMatches(reader: RecordReader, wanted: readonly Requirement[], now: number): Promise<Match[]> {
  const searches = wanted.map((requirement) => ({ requirement, matches: globMatcher(requirement.pattern) }))
  const nearest = new Map<string, MirrorRecord>()
  const completed = { field: 'uploadStatus', is: 'Completed' } as const
  for await (const batch of reader.select('documents', { all: [completed] })) {
    for (const document of batch) {
      const name = comparableName(textOf(document, 'filename') ?? '')
      for (const { requirement, matches } of searches) {
        const known = nearest.get(requirement.id)
        const isNewer = known === undefined || touchedAt(document) > touchedAt(known)
        if (isNewer && matches(name)) nearest.set(requirement.id, document)
      }
    }
    if (wanted.every((requirement) => isMetBy(requirement, nearest.get(requirement.id), now))) break
  }
  return wanted.map((requirement) => ({ requirement, nearest: nearest.get(requirement.id) }))
}
