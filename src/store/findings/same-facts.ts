/** Facts about the reading, which change although the other facts are equal. */
const readingFields = /"(?:requestId|readAt)":(?:null|"(?:[^"\\]|\\.)*")/g

/** True if the evidence of two readings has the same facts. */
export function sameFacts(known: string, present: string): boolean {
  return known === present || known.replaceAll(readingFields, '') === present.replaceAll(readingFields, '')
}
