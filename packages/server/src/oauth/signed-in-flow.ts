export { asPage, findSignedIn, forSignedIn, sendPage, type SignedIn } from '../users/signed-in-flow.js'
