# Completion for bash of simtrain, mpitrain and calibrate: commands, options as --help tells them, shipped names, files.
# Source it, or install it as share/bash-completion/completions/simtrain (cmake --install does).

_simtrain_data() { # FOLDER: names of shipped files
  local program folder
  program=$(command -v -- "${COMP_WORDS[0]}") || return 0
  folder=$(dirname -- "$(readlink -f -- "$program")")/../share/simtrain/$1
  [[ -d $folder ]] || return 0
  find -L "$folder" -maxdepth 1 -type f -printf '%f\n' | sed 's/\.\(json\|platform\|ini\|txt\)$//'
}

_simtrain() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command='' choices=''
  if [[ ${COMP_WORDS[1]:-} != -* && $COMP_CWORD -gt 1 ]]; then command=${COMP_WORDS[1]}; fi
  case $before in
    --platform) choices=$(_simtrain_data platforms) ;;
    --network) choices=$(_simtrain_data scenarios/networks) ;;
    --scenario) choices=$(_simtrain_data scenarios) ;;
    --profile) choices=$(_simtrain_data profiles) ;;
    --strategy) choices='uniform conv-batch pair domain auto' ;;
    --collectives | --algorithm) choices='ring recursive-doubling rabenseifner bruck mpi auto' ;;
    --placement) choices='column-major row-major blocks row-blocks snake random:1 auto' ;;
    --overlap) choices='none gradients all' ;;
    --progress) choices='ideal polling none' ;;
    --detail) choices='messages merged auto' ;;
    --numerics) choices='phantom real' ;;
    --network-model) choices='linear calibrated' ;;
    --color) choices='auto always never' ;;
    describe) choices=$(_simtrain_data platforms) ;;
    help) choices=$(_simtrain_data help) ;;
    flip) choices='bandwidth latency compute batch' ;;
    collective) choices='all-reduce all-gather reduce-scatter' ;;
    *)
      if [[ $word == -* ]]; then
        choices=$("${COMP_WORDS[0]}" ${command:+"$command"} --help 2>/dev/null | grep -oE -- '^  --[a-z-]+' | tr -d ' ')
      elif [[ $COMP_CWORD == 1 ]]; then
        case ${COMP_WORDS[0]##*/} in
          simtrain) choices='sweep merge cost compare flip rerun collective describe help doctor' ;;
          calibrate) choices='kernels network check show import' ;;
        esac
      fi
      ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
  if [[ ${#COMPREPLY[@]} == 0 ]]; then mapfile -t COMPREPLY < <(compgen -f -- "$word"); fi
}
complete -F _simtrain simtrain mpitrain calibrate
