/** Why a list is `suspect_empty`. Positions are stored: append new ones at the end. */
export const emptinesses = [
  'list',
  /** A page announced by the page before is empty. */
  'announced-page',
  'no-grants',
  'own-role',
] as const

export type Emptiness = (typeof emptinesses)[number]
