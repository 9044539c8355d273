import { itSurvives } from './survives.ts'

// Short lives meet more beginnings and readings of the specification, long ones more ends.
itSurvives(2001, 45, 4)
