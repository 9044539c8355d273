import * as z from 'zod'
import { defineCheck } from '../evaluate/check.ts'
import { dayMs } from '../model/durations.ts'
import type { MirrorRecord, RecordReader } from '../store/records/query.ts'
import { lastTouched } from './support/documents.ts'
import { comparableName, globMatcher } from './support/glob.ts'
import { factsOf, textOf, timeOf } from './support/records.ts'
import { doneStatuses, inStatus, statusWords } from './support/statuses.ts'
import { isOlderThan } from './support/time-limits.ts'
import { counted } from './support/words.ts'

const requirement = z.strictObject({
  /** The entity id of its finding, shown without authentication. */
  id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'expected letters, digits, `.`, `_` and `-`, at most 64'),
  /** Pattern of the file name: `*` any run of characters, `?` one; letter case does not matter. */
  pattern: z.string().min(1).max(200),
  /** Greatest age of the last upload or update, in days; null = no limit. */
  maxAgeDays: z.number().positive().max(36_500).nullable().default(null),
})

type Requirement = z.output<typeof requirement>

const requirements = z
  .array(requirement)
  .max(500)
  .refine(
    (list) => new Set(list.map(({ id }) => id)).size === list.length,
    'expected a different `id` for each requirement',
  )
  .default([])

export const documentRequiredPresent = defineCheck({
  id: 'document-required-present',
  title: 'Every required document is present and current',
  description:
    'Each of the configured `requirements`, such as `{ id: soc2, pattern: "SOC2*.pdf", maxAgeDays: 365 }`, is met by a document that is not too old, has one of `statuses` (Completed by default) and a matching name: `*` is any run of characters, `?` one, and letter case does not matter.',
  risk: 'A document that a framework demands is missing when the auditor asks for it.',
  remediation: "Upload the document under a name that the requirement's pattern matches.",
  alert: {
    name: 'DocumentMissing',
    summary: { one: 'required document is missing or too old', other: 'required documents are missing or too old' },
  },
  frameworks: ['soc2 CC5.3', 'iso27001 A.5.1', 'iso27001 A.5.37', 'nist80053 AC-1', 'pcidss 12.1.1'],
  severities: ['high'],
  evaluates: 'documents',
  needs: [],
  notEvaluatedWhere: 'the only matching documents are missing from the last full sync',
  entity: { type: 'document-requirement', isRecord: false, hasPlainIds: true },
  timeBased: true,
  material: ['nearest.fileId', 'nearest.updatedAt'],
  options: z.strictObject({ requirements, statuses: doneStatuses }),
  isConfigured: ({ requirements: configured }) => configured.length > 0,
  async load(reader, options, now) {
    const matches = await nearestMatches(reader, options, now)
    const unconfirmed = new Set(
      matches.filter((match) => isUnconfirmed(match, now)).map(({ requirement }) => requirement.id),
    )
    return {
      population: options.requirements.length,
      candidates: [matches],
      notEvaluated: unconfirmed.size,
      notEvaluatedFor: 'missing_records',
      scope: async (id) => (unconfirmed.has(id) ? 'not_evaluated' : 'evaluated'),
    }
  },
  evaluate({ requirement, shown, absent }, options, now) {
    if (isMetBy(requirement, shown, now) || isMetBy(requirement, absent, now)) return null
    const { id, pattern, maxAgeDays } = requirement
    const nearest = absent !== undefined && isNewer(absent, shown) ? absent : shown
    const words = statusWords(options.statuses)
    const message =
      nearest === undefined || maxAgeDays === null
        ? `Requirement ${id} is not met: no ${words} document has a name that matches, whatever the letter case.`
        : `Requirement ${id} is not met: the newest ${words} document whose name matches ${lastTouched(nearest)}, more than ${counted(maxAgeDays, 'day')} ago.`
    return {
      entityId: id,
      severity: 'high',
      message,
      evidence: {
        requirement: id,
        pattern,
        letterCase: 'ignored',
        maxAgeDays,
        statuses: options.statuses,
        nearest:
          nearest === undefined
            ? null
            : factsOf(nearest, ['fileId', 'filename', 'uploadStatus', 'createdAt', 'updatedAt']),
      },
    }
  },
})

interface Options {
  readonly requirements: readonly Requirement[]
  readonly statuses: readonly (string | null)[]
}

interface Match {
  readonly requirement: Requirement
  /** The newest matching document that the last complete full sync contained. */
  readonly shown: MirrorRecord | undefined
  /** The newest matching document that it did not contain: it may be deleted, so it satisfies no requirement. */
  readonly absent: MirrorRecord | undefined
}

const touchedAt = (document: MirrorRecord) => timeOf(document, 'touchedAtMs')

function isMetBy({ maxAgeDays }: Requirement, document: MirrorRecord | undefined, now: number): boolean {
  if (document === undefined) return false
  return maxAgeDays === null || !isOlderThan(touchedAt(document), maxAgeDays * dayMs, now)
}

function isUnconfirmed({ requirement, shown, absent }: Match, now: number): boolean {
  return !isMetBy(requirement, shown, now) && isMetBy(requirement, absent, now)
}

function isNewer(document: MirrorRecord, known: MirrorRecord | undefined): boolean {
  return known === undefined || touchedAt(document) > touchedAt(known)
}

/** The newest match of each requirement; stops reading once all requirements are met. */
async function nearestMatches(
  reader: RecordReader,
  { requirements: wanted, statuses }: Options,
  now: number,
): Promise<Match[]> {
  const searches = wanted.map((requirement) => ({ requirement, matches: globMatcher(requirement.pattern) }))
  const shown = new Map<string, MirrorRecord>()
  const absent = new Map<string, MirrorRecord>()
  for await (const batch of reader.select('documents', { anyOf: inStatus(statuses) })) {
    for (const document of batch) {
      const name = textOf(document, 'filename')
      if (name === null) continue
      const comparable = comparableName(name)
      const nearest = document.absent ? absent : shown
      for (const { requirement, matches } of searches) {
        if (isNewer(document, nearest.get(requirement.id)) && matches(comparable)) nearest.set(requirement.id, document)
      }
    }
    if (wanted.every((requirement) => isMetBy(requirement, shown.get(requirement.id), now))) break
  }
  return wanted.map((requirement) => ({
    requirement,
    shown: shown.get(requirement.id),
    absent: absent.get(requirement.id),
  }))
}
