import type { CursorContent as SimulatedContent } from '../../src/simulator/cursors.ts'
import type { Feed, Readings } from './readings.ts'

export interface CursorContent extends SimulatedContent {
  readonly feed: Feed
  readonly tenant: string
}

interface Issued extends CursorContent {
  readonly epoch: number
  /** Ids shown to every full sync that holds this cursor; null when several full syncs share its text. */
  readonly shown: readonly string[] | null
  readonly parent: string | null
}

/** Cursors that the modelled service handed out, with what was shown on the way to each. */
export class CursorBook {
  readonly #issued = new Map<string, Issued>()
  readonly #fresh: boolean
  #epoch = 0
  #count = 0

  constructor({ freshCursors }: Pick<Readings, 'freshCursors'>) {
    this.#fresh = freshCursors
  }

  issue(content: CursorContent, parent: string | null, shown: readonly string[]): string {
    const text = Buffer.from(JSON.stringify([content, this.#epoch])).toString('base64url')
    const cursor = this.#fresh ? `${text}.${this.#count++}` : text
    this.#issued.set(cursor, { ...content, epoch: this.#epoch, parent, shown: this.#fresh ? shown : null })
    return cursor
  }

  /** Null when the cursor was not issued for this feed and tenant, or has been invalidated. */
  read(cursor: string, feed: Feed, tenant: string): CursorContent | null {
    const found = this.#issued.get(cursor)
    return found?.feed === feed && found.tenant === tenant && found.epoch === this.#epoch ? found : null
  }

  /** From now on no cursor issued so far is valid. */
  invalidateAll(): void {
    this.#epoch++
  }

  /** Ids certainly shown to the holder of this cursor; null when that is unknown. */
  shownUpTo(cursor: string): ReadonlySet<string> | null {
    const shown = new Set<string>()
    for (let at: string | null = cursor; at !== null; ) {
      const issued = this.#issued.get(at)
      if (issued === undefined || issued.shown === null) return null
      for (const id of issued.shown) shown.add(id)
      at = issued.parent
    }
    return shown
  }
}
