/** A record of which something else changed was read again, with a new request and time. */
const readingFields = /"(?:requestId|readAt)":(?:null|"(?:[^"\\]|\\.)*")/g

/** True when the evidence of two readings states the same. */
export function sameFacts(known: string, present: string): boolean {
  return known === present || known.replaceAll(readingFields, '') === present.replaceAll(readingFields, '')
}
