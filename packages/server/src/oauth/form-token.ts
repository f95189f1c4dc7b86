export { type FormSecrets, type FormTokens, formTokens } from '../users/form-token.js'
