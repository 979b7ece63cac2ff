// SimGrid 3.32 detaches every flow from host to host, which puts it into one list of all that is searched from one end
// to the other when a flow ends: half of the time at 65 536 ranks. Our flows are kept by who starts them
// (sim/engine/direct_messages.cpp), and detached messages of SMPI there are none (smpi/send-is-detached-thresh is 0).
// This function takes the place of SimGrid's own, since symbols of the program come before those of libraries. Only
// programs with SimGrid 3 are linked with it (sim/CMakeLists.txt).
namespace simgrid::kernel::activity {

class CommImpl {
 public:
  CommImpl& detach();
};

CommImpl& CommImpl::detach() { return *this; }

}  // namespace simgrid::kernel::activity
