import { familyLines } from './exposition.ts'
import type { Family } from './family.ts'

/** Characters of a piece, more or less: large enough to be few, small enough to be sent and dropped one by one. */
const pieceLength = 65_536

/**
 * A family as bytes, in pieces. They lie outside the heap of the JavaScript engine, and what each was made of is garbage
 * at once: neither all samples nor the text as a whole are ever in memory.
 *
 * @param breathe is told after each piece how many lines it has.
 * @throws whatever making or rendering the samples throws.
 */
export async function bytePieces(
  family: Family,
  openMetrics: boolean,
  breathe: (lines: number) => Promise<void>,
): Promise<readonly Buffer[]> {
  const pieces: Buffer[] = []
  let text = ''
  let lines = 0
  for (const line of familyLines(family, openMetrics)) {
    text += line
    lines++
    if (text.length < pieceLength) continue
    pieces.push(Buffer.from(text))
    await breathe(lines)
    text = ''
    lines = 0
  }
  await breathe(lines)
  return text === '' ? pieces : [...pieces, Buffer.from(text)]
}
