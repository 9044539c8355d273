import { blocks, type Steps } from './escapes.ts'
import { normalOf } from './normal-form.ts'
import { formsOf } from './secret-slices.ts'

const blockLength = 8

/** Blocks taken from each form of a secret, spread over it: a text with most of the secret contains one of them. */
const mostBlocks = 4

/** Buckets for each block, so that the search nearly always ends at an unused bucket. */
const leastBuckets = 32

/** Finds the owners whose secrets a text may contain, by blocks of the secrets, in one search for all owners. */
export class SecretIndex<Owner> {
  /** By hash: 1 = some block may have it. The length is a power of two. */
  #used = new Uint8Array(2 ** 12)
  #marked = 0
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

  /** @param bytes without escapes (`resolved`). */
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
    const used = this.#used
    const mask = used.length - 1
    let [first, second] = [fourAt(bytes, from), fourAt(bytes, from + 4)]
    for (let at = from; at < end; at++) {
      if (used[hashOf(first, second) & mask] === 1) {
        const owners = this.#owners.get(bytes.toString('latin1', at, at + blockLength)) ?? []
        for (const owner of owners) found.add(owner)
      }
      first = (first >>> 8) | (second << 24)
      second = (second >>> 8) | ((bytes[at + blockLength] ?? 0) << 24)
    }
  }

  #add(block: string, owner: Owner): void {
    const owners = this.#owners.get(block)
    if (owners !== undefined) {
      owners.add(owner)
      return
    }
    this.#owners.set(block, new Set([owner]))
    this.#mark(block)
    if (this.#marked * leastBuckets <= this.#used.length) return
    this.#used = new Uint8Array(2 ** Math.ceil(Math.log2(this.#owners.size * 2 * leastBuckets)))
    this.#marked = 0
    for (const known of this.#owners.keys()) this.#mark(known)
  }

  /** The bucket stays used until all blocks are marked again: other blocks may share it. */
  #drop(block: string, owner: Owner): void {
    const owners = this.#owners.get(block)
    owners?.delete(owner)
    if (owners?.size === 0) this.#owners.delete(block)
  }

  #mark(block: string): void {
    this.#marked++
    const bytes = Buffer.from(block, 'latin1')
    this.#used[hashOf(fourAt(bytes, 0), fourAt(bytes, 4)) & (this.#used.length - 1)] = 1
  }
}

/** Blocks at the ends of equal parts, because tokens of one issuer have equal beginnings. */
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

function hashOf(first: number, second: number): number {
  return (Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b)) >>> 8
}
