import * as z from 'zod'
import type { Outcome } from '../evaluate/check.ts'
import { comparableName, globMatcher } from '../model/text/glob.ts'
import { isKnownWord } from '../model/text/words.ts'
import { dayMs } from '../model/time.ts'
import type { MirrorRecord } from '../store/records/query.ts'
import { defineCheck } from './support/define-check.ts'
import { doneStatuses, lastTouched, statusWords } from './support/documents.ts'
import { counted, documentFacts, textOf, timeOf } from './support/records.ts'
import { olderFrom } from './support/time-limits.ts'

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
  failing: ['required document is missing or out of date', 'required documents are missing or out of date'],
  description:
    'Each of the configured `requirements`, such as `{ id: soc2, pattern: "SOC2*.pdf", maxAgeDays: 365 }`, is met by a document that is not too old, has one of `statuses` (Completed by default) and a matching name: `*` is any run of characters, `?` one, and letter case does not matter.',
  risk: 'A document that a framework demands is missing when the auditor asks for it.',
  remediation: "Upload the document under a name that the requirement's pattern matches.",
  alert: 'DocumentMissing',
  frameworks: 'soc2 CC5.3, iso27001 A.5.1 A.5.37, nist80053 AC-1, pcidss 12.1.1',
  severities: ['high'],
  evaluates: 'documents',
  notEvaluatedWhere: 'the only matching documents are missing from the last full sync',
  entity: { type: 'document-requirement', isRecord: false },
  timeBased: true,
  material: ['nearest.fileId', 'nearest.updatedAt'],
  options: z.strictObject({ requirements, statuses: doneStatuses }),
  isConfigured: ({ requirements: configured }) => configured.length > 0,
  begin(options, { now }) {
    const searches = options.requirements.map((requirement): Search => {
      return { requirement, matches: globMatcher(requirement.pattern), listed: undefined, absent: undefined }
    })
    return {
      record(document) {
        const name = textOf(document, 'filename')
        if (name === null || !isKnownWord(options.statuses, document.fields['uploadStatus'])) return null
        const comparable = comparableName(name)
        const place = document.absent ? 'absent' : 'listed'
        for (const search of searches)
          if (isNewer(document, search[place]) && search.matches(comparable)) search[place] = document
        return null
      },
      end: () => searches.map((search) => [search.requirement.id, outcomeOf(search, options.statuses, now)]),
    }
  },
})

interface Search {
  readonly requirement: Requirement
  readonly matches: ReturnType<typeof globMatcher>
  /** The newest matching document that the last complete full sync contained. */
  listed: MirrorRecord | undefined
  /** The newest matching document that it did not contain: it may be deleted, so it satisfies no requirement. */
  absent: MirrorRecord | undefined
}

function outcomeOf(
  { requirement, listed, absent }: Search,
  statuses: readonly (string | null)[],
  now: number,
): Outcome {
  const [listedUntil, absentUntil] = [metUntil(requirement, listed), metUntil(requirement, absent)]
  if (now < listedUntil) return { kind: 'ok', isCertain: listed?.quarantined === false, until: listedUntil }
  if (now < absentUntil) return { kind: 'not_evaluated', reason: 'missing_records', until: absentUntil }
  const { id, pattern, maxAgeDays } = requirement
  const nearest = absent !== undefined && isNewer(absent, listed) ? absent : listed
  const words = statusWords(statuses)
  return {
    kind: 'fails',
    severity: 'high',
    message:
      nearest === undefined || maxAgeDays === null
        ? `Requirement ${id} is not met: no ${words} document has a name that matches, whatever the letter case.`
        : `Requirement ${id} is not met: the newest ${words} document whose name matches ${lastTouched(nearest)}, more than ${counted(maxAgeDays, 'day')} ago.`,
    evidence: {
      requirement: id,
      pattern,
      letterCase: 'ignored',
      maxAgeDays,
      statuses,
      nearest: nearest === undefined ? null : documentFacts(nearest),
    },
  }
}

const touchedAt = (document: MirrorRecord) => timeOf(document, 'touchedAtMs')

/** First instant at which the document is too old; infinite without an age limit, and without a document in the past. */
function metUntil({ maxAgeDays }: Requirement, document: MirrorRecord | undefined): number {
  if (document === undefined) return Number.NEGATIVE_INFINITY
  return maxAgeDays === null ? Number.POSITIVE_INFINITY : olderFrom(touchedAt(document), maxAgeDays * dayMs)
}

function isNewer(document: MirrorRecord, known: MirrorRecord | undefined): boolean {
  return known === undefined || touchedAt(document) > touchedAt(known)
}
