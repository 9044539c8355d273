import type { FindingView } from '../finding.ts'

const hidden = '[hidden]'

/** Entity types whose id is itself a file name. */
const namedTypes: ReadonlySet<string> = new Set(['document-name'])

/**
 * Evidence that names a person or a file, whichever check wrote it; a configured pattern may spell out a file name, and
 * the reason that somebody gave for accepting a state may name anybody.
 */
const namingFacts: ReadonlySet<string> = new Set([
  'acceptedFor',
  'email',
  'filename',
  'firstName',
  // It has a digest of an e-mail, by which whoever guesses the e-mail knows.
  'identity',
  'lastName',
  'nearest',
  'pattern',
])

/** A number or a GUID. */
const plainId = /^(?:\d{1,20}|[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12})$/i

/**
 * A finding without names of persons, e-mails and file names, for outputs that may not show details
 * (docs/operations.md#security). Messages never carry any; what people wrote into a waiver, and what it accepted, may.
 */
export function withoutDetails(finding: FindingView): FindingView {
  const { entity, evidence, waiver } = finding
  // What the query of an own check says of what entity is its author's choice.
  const isOwn = typeof evidence['ownCheck'] === 'string'
  const isNamed = namedTypes.has(entity.type) || (isOwn && !plainId.test(entity.id))
  return {
    ...finding,
    ...(isOwn && { message: hidden }),
    entity: isNamed ? { ...entity, id: hidden } : entity,
    evidence: Object.fromEntries(
      Object.entries(evidence).map(([name, value]) => [
        name,
        (namingFacts.has(name) || (isOwn && name === 'reason')) && value !== null ? hidden : value,
      ]),
    ),
    waiver: waiver && {
      ...waiver,
      owner: hidden,
      reason: hidden,
      explanation: waiver.explanation?.replace(/ \(.*\)$/s, '') ?? null,
    },
  }
}
