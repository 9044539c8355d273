/** Why a list is `suspect_empty`. */
export const emptinesses = [
  'list',
  /** A page that the page before announced is empty. */
  'announced-page',
  'no-grants',
  'own-role',
] as const

export type Emptiness = (typeof emptinesses)[number]
