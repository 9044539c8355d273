import { blocks, type Steps } from './escapes.ts'
import { normalOf } from './normal-form.ts'
import { formsOf } from './secret-slices.ts'

const blockLength = 8

/** Of each form of a secret, spread over it: any text with a whole secret, or with most of it, has one of them. */
const mostBlocks = 4

/** A power of two: most places of a text end their search at an unused bucket. */
const buckets = 2 ** 18

/** By parts of their secrets, the owners whose secrets a text may contain: one search for all, however many they are. */
export class SecretIndex<Owner> {
  readonly #used = new Uint16Array(buckets)
  readonly #owners = new Map<string, Set<Owner>>()
  readonly #blocks = new Map<Owner, ReadonlySet<string>>()

  /** Replaces the secrets of this owner. */
  put(owner: Owner, secrets: readonly string[]): void {
    for (const block of this.#blocks.get(owner) ?? []) this.#drop(block, owner)
    const wholes = secrets.flatMap((secret) => [normalOf(secret), Buffer.from(secret, 'latin1')])
    const blocks = new Set([...wholes, ...secrets.flatMap(formsOf)].flatMap(blocksOf))
    this.#blocks.set(owner, blocks)
    for (const block of blocks) this.#add(block, owner)
  }

  /** @param bytes as sent if nothing is escaped, else without escapes (`resolved`). */
  *ownersIn(bytes: Buffer): Steps<ReadonlySet<Owner>> {
    const found = new Set<Owner>()
    for (const [from, end] of blocks(bytes.length)) {
      this.#search(bytes, from, Math.min(end, bytes.length - blockLength + 1), found)
      yield end - from
    }
    return found
  }

  #search(bytes: Buffer, from: number, end: number, found: Set<Owner>): void {
    if (from >= end) return
    let [first, second] = [fourAt(bytes, from), fourAt(bytes, from + 4)]
    for (let at = from; at < end; at++) {
      if (this.#used[bucketOf(first, second)] !== 0) {
        const owners = this.#owners.get(bytes.toString('latin1', at, at + blockLength)) ?? []
        for (const owner of owners) found.add(owner)
      }
      first = (first >>> 8) | (second << 24)
      second = (second >>> 8) | ((bytes[at + blockLength] ?? 0) << 24)
    }
  }

  #add(block: string, owner: Owner): void {
    const owners = this.#owners.get(block)
    if (owners !== undefined) owners.add(owner)
    else {
      this.#owners.set(block, new Set([owner]))
      this.#count(block, 1)
    }
  }

  #drop(block: string, owner: Owner): void {
    const owners = this.#owners.get(block)
    owners?.delete(owner)
    if (owners?.size !== 0) return
    this.#owners.delete(block)
    this.#count(block, -1)
  }

  #count(block: string, by: 1 | -1): void {
    const bytes = Buffer.from(block, 'latin1')
    const bucket = bucketOf(fourAt(bytes, 0), fourAt(bytes, 4))
    this.#used[bucket] = (this.#used[bucket] ?? 0) + by
  }
}

/** At the ends of equal parts, as the beginnings of tokens of one issuer are equal. */
function blocksOf(form: Buffer): readonly string[] {
  const parts = Math.min(mostBlocks, Math.floor(form.length / blockLength))
  const length = Math.floor(form.length / parts)
  return Array.from({ length: parts }, (_, n) =>
    form.toString('latin1', (n + 1) * length - blockLength, (n + 1) * length),
  )
}

function fourAt(bytes: Buffer, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)
}

function bucketOf(first: number, second: number): number {
  return ((Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b)) >>> 8) & (buckets - 1)
}
