import type { FindingView } from './finding.ts'

const hidden = '[hidden]'

/** Entity types whose id is itself a file name. */
const namedTypes: ReadonlySet<string> = new Set(['document-name'])

/** Evidence that names a person or a file, whichever check wrote it; a configured pattern may spell out a file name. */
const namingFacts: ReadonlySet<string> = new Set(['email', 'filename', 'firstName', 'lastName', 'nearest', 'pattern'])

/**
 * A finding without names of persons, e-mails and file names, for outputs that may not show details
 * (contract: `exposeDetails`). Messages never carry any.
 */
export function withoutDetails(finding: FindingView): FindingView {
  const { entity, evidence } = finding
  return {
    ...finding,
    entity: namedTypes.has(entity.type) ? { ...entity, id: hidden } : entity,
    evidence: Object.fromEntries(
      Object.entries(evidence).map(([name, value]) => [name, namingFacts.has(name) && value !== null ? hidden : value]),
    ),
  }
}
