import { hash } from 'node:crypto'

/** Facts about the reading, which change although the other facts are equal. */
const readingFields = /"(?:requestId|readAt)":(?:null|"(?:[^"\\]|\\.)*")/g

/** Equal for findings whose texts, severity and facts are equal, whenever they were read. @param evidence JSON. */
export function findingDigest(severity: string, message: string, evidence: string): string {
  return hash('sha256', `${severity} ${message} ${comparableEvidence(evidence)}`).slice(0, 32)
}

/** True if the evidence of two readings, as JSON, has the same facts. */
export function sameFacts(known: string, present: string): boolean {
  return known === present || comparableEvidence(known) === comparableEvidence(present)
}

function comparableEvidence(evidence: string): string {
  return evidence.replaceAll(readingFields, '')
}
