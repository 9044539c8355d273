const instant = /"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{3}Z"/g

/**
 * True where two texts of material facts say the same to the second, whenever whom they are about was created: when that
 * is somebody else, the finding itself is another one.
 */
export function isSameFacts(accepted: string, present: string): boolean {
  return comparable(accepted) === comparable(present)
}

function comparable(text: string): string {
  const { 'identity.createdAt': _, ...facts } = JSON.parse(text) as Record<string, unknown>
  return JSON.stringify(facts).replace(instant, '"$1Z"')
}
